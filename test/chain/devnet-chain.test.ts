import { spawn } from "node:child_process";
import { once } from "node:events";
import { readdir } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { expect, onTestFinished, test, vi } from "vitest";
import { startDevnet } from "../../packages/devnet/src/index.ts";
import { scratch } from "../support/files.ts";

async function request(rpc: string, method: string, ...params: unknown[]): Promise<unknown> {
  const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method, params });
  const response = await fetch(rpc, { method: "POST", body, headers: { "content-type": "application/json" } });
  return ((await response.json()) as { result: unknown }).result;
}

const isGone = (rpc: string) =>
  request(rpc, "eth_chainId").then(
    () => false,
    () => true,
  );

test("a devnet has no chain unless one is requested", async () => {
  const devnet = await startDevnet();
  expect(devnet.chain).toBeUndefined();
  await devnet.close();
});

test("the chain is a network with funded wallets, and is gone when the devnet is closed", async () => {
  const devnet = await startDevnet({ chain: true });
  onTestFinished(() => devnet.close());
  const { chain } = devnet;
  if (!chain) throw new Error("there is no chain");
  expect(await request(chain.rpc, "eth_chainId")).toBe("0x7a69");
  expect(chain.network).toMatchObject({ chain_id: 31_337, rpc: chain.rpc, symbol: "ETH" });
  expect(chain.accounts.map(({ address }) => address)).toEqual(devnet.accounts.map(({ address }) => address));
  for (const { address, balances } of chain.accounts) {
    expect(BigInt(String(await request(chain.rpc, "eth_getBalance", address, "latest")))).toBe(balances.native);
    for (const [token, contract] of Object.entries(chain.network.tokens)) {
      const data = `0x70a08231${address.slice(2).padStart(64, "0")}`;
      const held = BigInt(String(await request(chain.rpc, "eth_call", { to: contract.address, data }, "latest")));
      expect(held).toBe(balances[token as "usdc"]);
      expect(held).toBe(10n ** BigInt(6 + contract.decimals));
    }
  }
  await devnet.close();
  expect(await isGone(chain.rpc)).toBe(true);
});

test.each([
  ["killed", [], "SIGKILL"],
  ["ended", [], "SIGTERM"],
  ["left", ["exit"], undefined],
] as const)("the chain does not outlive a process that is %s", async (_, args, signal) => {
  const script = fileURLToPath(new URL("../payment/start-and-hang.ts", import.meta.url));
  const folder = await scratch();
  const child = spawn(process.execPath, ["--import", "tsx", "--conditions=keeplight-source", script, ...args], {
    stdio: ["ignore", "pipe", "ignore"],
    env: { ...process.env, TMPDIR: folder },
  });
  onTestFinished(() => void child.kill("SIGKILL"));
  const [printed] = (await once(child.stdout, "data")) as [Buffer];
  const rpc = printed.toString().trim();
  if (signal) {
    expect(await isGone(rpc)).toBe(false);
    child.kill(signal);
  }
  if (child.exitCode === null && child.signalCode === null) await once(child, "exit");
  await expect.poll(() => isGone(rpc), { timeout: 50_000 }).toBe(true);
  const listStates = async () => (await readdir(folder)).filter((name) => name.startsWith("keeplight-anvil-"));
  await expect.poll(listStates, { timeout: 50_000 }).toEqual([]);
});

test("without anvil the error names what to install", async () => {
  vi.stubEnv("PATH", "/nowhere");
  vi.stubEnv("ANVIL_PATH", undefined);
  const { arch } = process;
  Object.defineProperty(process, "arch", { value: "mips" });
  onTestFinished(() => {
    Object.defineProperty(process, "arch", { value: arch });
    vi.unstubAllEnvs();
  });
  await expect(startDevnet({ chain: true })).rejects.toMatchObject({
    code: "UNSUPPORTED",
    message: `The devnet's chain requires anvil: npm install --save-dev @foundry-rs/anvil-${process.platform}-mips, or set ANVIL_PATH or the option anvilPath`,
  });
});

test.each([
  ["/nowhere/anvil", "Cannot start anvil at /nowhere/anvil: there is no such program"],
  ["/bin/false", "Cannot start anvil at /bin/false: it exited immediately"],
])("an invalid anvilPath is refused: %s", async (anvilPath, message) => {
  await expect(startDevnet({ chain: { anvilPath } })).rejects.toMatchObject({ code: "UNSUPPORTED", message });
});

test("ANVIL_PATH names the program, unless the option does", async () => {
  vi.stubEnv("ANVIL_PATH", "/nowhere/anvil");
  onTestFinished(() => void vi.unstubAllEnvs());
  await expect(startDevnet({ chain: true })).rejects.toMatchObject({ details: { path: "/nowhere/anvil" } });
  await expect(startDevnet({ chain: { anvilPath: "/bin/false" } })).rejects.toMatchObject({
    details: { path: "/bin/false" },
  });
});

test("an unknown hardfork is reported with anvil's message", async () => {
  await expect(startDevnet({ chain: { hardfork: "atlantis" } })).rejects.toThrow(/^Cannot start anvil at .*atlantis/s);
});
