import { fork } from "node:child_process";
import { once } from "node:events";
import { connect } from "node:net";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";

async function isListening(url: string): Promise<boolean> {
  const { hostname, port } = new URL(url);
  const socket = connect(Number(port), hostname);
  const isOpen = await Promise.race([
    once(socket, "connect").then(() => true),
    once(socket, "error").then(() => false),
  ]).catch(() => false);
  socket.destroy();
  return isOpen;
}

test("the databases of a test run that is killed end with it", async () => {
  const child = fork(fileURLToPath(new URL("./start-databases.ts", import.meta.url)), {
    execArgv: ["--import", "tsx", "--conditions=keeplight-source"],
  });
  const exited = once(child, "exit");
  const [urls] = (await once(child, "message")) as [{ postgres: string; redis: string }];
  for (const url of Object.values(urls)) expect(await isListening(url)).toBe(true);
  child.kill("SIGKILL");
  await exited;
  for (const url of Object.values(urls)) await expect.poll(() => isListening(url), { timeout: 30_000 }).toBe(false);
});
