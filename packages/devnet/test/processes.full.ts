import { execFile, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { mkdir, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { describe, expect, test } from "vitest";
import { startDevnet } from "../src/index.ts";

const TIMEOUT_MS = 30_000;

async function isChainRunning(rpc = ""): Promise<boolean> {
  const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "eth_chainId" });
  const headers = { "content-type": "application/json" };
  return fetch(rpc, { method: "POST", body, headers }).then(
    ({ ok }) => ok,
    () => false,
  );
}

const listTemporaryFolders = async (pid = process.pid) =>
  (await readdir(tmpdir())).filter((name) => name.startsWith(`keeplight-devnet-${pid}-`));

const scripts = {
  close: new URL("./start-and-close.ts", import.meta.url),
  exit: new URL("./start-and-exit.ts", import.meta.url),
  wait: new URL("./start-and-wait.ts", import.meta.url),
};

const scriptArgs = (script: URL, ...args: string[]) => [
  "--import",
  "tsx",
  "--conditions=keeplight-source",
  fileURLToPath(script),
  ...args,
];

/** Runs a devnet in a separate process until that is killed. */
async function startAndWait(...args: string[]) {
  const child = spawn(process.execPath, scriptArgs(scripts.wait, ...args), {
    stdio: ["ignore", "pipe", "inherit"],
  });
  const lines = createInterface(child.stdout)[Symbol.asyncIterator]();
  const nextLine = async () => String((await lines.next()).value);
  const reported = JSON.parse(await nextLine()) as { held: string[]; gateway: string; rpc?: string };
  return { child, pid: child.pid ?? 0, nextLine, ...reported };
}

test("a closed devnet lets its process end, and prints nothing", async () => {
  const { stdout, stderr } = await promisify(execFile)(process.execPath, scriptArgs(scripts.close));
  expect([stdout, stderr]).toEqual(["closed\n", ""]);
});

describe("a process that ends without closing its devnet", () => {
  /** The keeper of the folder ends after the process it watches. */
  const untilRemoved = (pid: number) =>
    expect.poll(() => listTemporaryFolders(pid), { timeout: TIMEOUT_MS }).toEqual([]);

  test("leaves no data when it exits", async () => {
    const { stdout } = await promisify(execFile)(process.execPath, scriptArgs(scripts.exit));
    const { pid, held } = JSON.parse(stdout);
    expect(held).toEqual([expect.stringContaining(`keeplight-devnet-${pid}-`)]);
    await untilRemoved(pid);
  });

  test.each(["SIGINT", "SIGTERM", "SIGHUP", "SIGKILL"] as const)(
    "is ended by %s as any process is, and leaves neither data nor its chain",
    async (signal) => {
      const { child, pid, held, rpc } = await startAndWait("chain");
      expect(held).toHaveLength(1);
      expect(await isChainRunning(rpc)).toBe(true);
      child.kill(signal);
      expect(await once(child, "exit")).toEqual([null, signal]);
      await untilRemoved(pid);
      await expect.poll(() => isChainRunning(rpc), { timeout: TIMEOUT_MS }).toBe(false);
    },
  );

  test("keeps its devnet where it has its own listener for the signal", async () => {
    const { child, pid, held, gateway, nextLine } = await startAndWait("listen");
    child.kill("SIGTERM");
    expect(await nextLine()).toBe("the host's own listener");
    expect((await fetch(`${gateway}/ipfs/x`)).status).toBe(400);
    expect(await listTemporaryFolders(pid)).toEqual(held);
    child.kill("SIGKILL");
    await untilRemoved(pid);
  });
});

test("the next devnet removes what a killed process left, and nothing of a running one", async () => {
  const mine = await startDevnet();
  const [held = ""] = await listTemporaryFolders();
  const { child, pid, held: foreign } = await startAndWait();
  // as if their keeper had been killed with them: folders of a process that has ended, some of another user
  const [, space = ""] = /^keeplight-devnet-\d+-([0-9a-f]+)-/.exec(held) ?? [];
  const ended = spawnSync(process.execPath, ["--version"]).pid;
  const left = `keeplight-devnet-${ended}-${space}-AAAAAA`;
  const others = [`keeplight-devnet-${ended}-00000000-AAAAAA`, `keeplight-devnet-${ended}-notes`];
  for (const name of [left, ...others]) await mkdir(join(tmpdir(), name, "files"), { recursive: true });
  try {
    const next = await startDevnet();
    expect(await listTemporaryFolders(ended)).toEqual([...others].sort());
    expect(await listTemporaryFolders()).toContain(held);
    expect(await listTemporaryFolders(pid)).toEqual(foreign);
    await next.close();
  } finally {
    child.kill("SIGKILL");
    for (const name of [left, ...others]) await rm(join(tmpdir(), name), { recursive: true, force: true });
    await mine.close();
  }
});
