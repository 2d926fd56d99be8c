import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import type { Readable } from "node:stream";
import { findFreePort } from "../../../test/support/databases.ts";

/** A window of WebKitGTK's MiniBrowser, with data of its own, and the driver that it obeys (W3C WebDriver). */
export interface WebKitWindow {
  /** Sends a command of the session: its method, its path below the session, its parameters. */
  send<Result>(method: "GET" | "POST" | "DELETE", path: string, parameters?: object): Promise<Result>;
  close(): Promise<void>;
}

/** Starts a display in memory, as WebKitGTK has no headless mode. */
export async function startDisplay(): Promise<{ name: string; close(): Promise<void> }> {
  const screen = ["-screen", "0", "1280x900x24", "-nolisten", "tcp", "-displayfd", "3"];
  const server = spawn("Xvfb", screen, { stdio: ["ignore", "ignore", "ignore", "pipe"] });
  await once(server, "spawn");
  const [number] = (await once(createInterface(server.stdio[3] as Readable), "line")) as [string];
  return { name: `:${number}`, close: () => end(server) };
}

/** Opens a window. A driver has one session, so each window has a driver. */
export async function openWebKitWindow(display: string): Promise<WebKitWindow> {
  const port = await findFreePort();
  const env = { ...process.env, DISPLAY: display };
  const driver = spawn("WebKitWebDriver", [`--port=${port}`], { stdio: "ignore", env });
  await once(driver, "spawn");
  const call = async <Result>(method: string, path: string, parameters?: object): Promise<Result> => {
    const body = parameters && JSON.stringify(parameters);
    const response = await fetch(`http://127.0.0.1:${port}${path}`, { method, ...(body && { body }) });
    const { value } = (await response.json()) as { value: Result };
    if (!response.ok) throw new Error(`${method} ${path.replace(/^\/session\/[^/]+/, "")}: ${JSON.stringify(value)}`);
    return value;
  };
  while (!(await call("GET", "/status").catch(() => undefined)))
    await new Promise((resolve) => setTimeout(resolve, 50));
  const { sessionId } = await call<{ sessionId: string }>("POST", "/session", { capabilities: {} });
  const send: WebKitWindow["send"] = (method, path, parameters) =>
    call(method, `/session/${sessionId}${path}`, parameters);
  await send("POST", "/timeouts", { script: 120_000 });
  return {
    send,
    async close() {
      await send("DELETE", "").catch(() => undefined);
      await end(driver);
    },
  };
}

async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const ended = once(child, "exit");
  child.kill();
  await ended;
}
