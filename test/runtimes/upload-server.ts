import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import type { AddressInfo } from "node:net";
import { createServer } from "node:net";

/** A server of `examples/server` in a process of its own. */
export interface UploadServer {
  /** URL of its upload handler. */
  url: string;
  /** Everything that it printed. */
  output(): string;
  stop(): Promise<void>;
}

/** Starts a server, and resolves once it listens. */
export async function startUploadServer(
  [command = "", ...args]: readonly string[],
  { cwd, env }: { cwd: string; env: Record<string, string> },
): Promise<UploadServer> {
  const port = await findFreePort();
  const { PATH = "", HOME = "" } = process.env;
  const child: ChildProcess = spawn(command, args, {
    cwd,
    env: { PATH, HOME, ...env, PORT: String(port) },
    stdio: ["ignore", "pipe", "pipe"],
  });
  const ended = once(child, "exit");
  let output = "";
  await new Promise<void>((resolve, reject) => {
    const collect = (chunk: Buffer) => {
      output += chunk;
      if (output.includes("listening")) resolve();
    };
    child.stdout?.on("data", collect);
    child.stderr?.on("data", collect);
    ended.then(() => reject(new Error(`the server ended: ${output}`)), reject);
  });
  return {
    url: `http://127.0.0.1:${port}/api/upload`,
    output: () => output,
    async stop() {
      child.kill("SIGKILL");
      await ended;
    },
  };
}

async function findFreePort(): Promise<number> {
  const server = createServer();
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
}
