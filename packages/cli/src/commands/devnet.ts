import { once } from "node:events";
import { readFile, writeFile } from "node:fs/promises";
import { UsageError } from "../frame/failure.ts";
import type { Invocation } from "../frame/invocation.ts";
import { readWhole } from "../steps/inputs.ts";

export async function devnet(invocation: Invocation): Promise<void> {
  const { output, option, flag, signal } = invocation;
  const config = option("config");
  if (config !== undefined) await refuseOtherConfig(config);
  const { startDevnet } = await import("@keeplight/devnet");
  const devnet = await startDevnet({
    chain: flag("chain"),
    port: readWhole(invocation, "port"),
    host: option("host"),
    publicHost: option("publicHost"),
    dataDir: option("data"),
    accounts: flag("fixedAccounts") ? "fixed" : "random",
    control: true,
  });
  try {
    const { endpoints, control, chain } = devnet;
    const accounts = devnet.accounts.map(({ address, privateKey, apiKey }) => {
      return { address, apiKey, privateKey: flag("showKeys") ? privateKey : undefined };
    });
    const settings = { endpoints, pauseMs: 0, networks: chain && { devnet: chain.network } };
    if (config !== undefined) await writeFile(config, `${JSON.stringify(settings, null, 2)}\n`);
    const lines = [
      `export KEEPLIGHT_API_URL=${endpoints.api}`,
      `export KEEPLIGHT_UPLOAD_URL=${endpoints.upload}`,
      `export KEEPLIGHT_WALRUS_UPLOAD_URL=${endpoints.walrusUpload}`,
      `export KEEPLIGHT_GATEWAY_URL=${endpoints.gateway}`,
      `export KEEPLIGHT_KEY_NODES_URL=${endpoints.keyNodes}`,
      `export KEEPLIGHT_DEVNET_URL=${control}`,
      "export KEEPLIGHT_PAUSE_MS=0",
      ...accounts.map((account) => `# ${Object.values(account).filter(Boolean).join("  ")}`),
    ].join("\n");
    const host = option("host") ?? "localhost";
    if (!isLoopback(host)) {
      output.warn(`Everyone who can reach ${host} may use this network, its accounts and its control service`);
    }
    output.result({ endpoints, control, accounts, network: chain?.network }, lines, lines);
    output.note("The network is running. Press Ctrl-C to stop it.");
    if (!signal.aborted) await once(signal, "abort");
  } finally {
    await devnet.close();
  }
}

/** What this command writes into a configuration. */
const SETTINGS = ["endpoints", "pauseMs", "networks"];

/** Throws `FILE_EXISTS` for a file that this command has not written. */
async function refuseOtherConfig(path: string): Promise<void> {
  const text = await readFile(path, "utf8").catch(() => undefined);
  if (text === undefined || isOwnConfig(text)) return;
  throw new UsageError(`${path} exists already, and has other settings`, "FILE_EXISTS");
}

function isOwnConfig(text: string): boolean {
  try {
    return Object.keys(JSON.parse(text) as object).every((name) => SETTINGS.includes(name));
  } catch {
    return false;
  }
}

const isLoopback = (host: string) => /^(localhost|127(\.\d+){3}|::1)$/i.test(host);
