import { once } from "node:events";
import { writeFile } from "node:fs/promises";
import type { Invocation } from "../frame/invocation.ts";
import { readWhole } from "../steps/inputs.ts";

export async function devnet(invocation: Invocation): Promise<void> {
  const { output, option, flag, signal } = invocation;
  const { startDevnet } = await import("@keeplight/devnet");
  const port = readWhole(invocation, "port");
  const devnet = await startDevnet({ chain: flag("chain"), port, dataDir: option("data") });
  try {
    const { endpoints, chain } = devnet;
    const accounts = devnet.accounts.map(({ address, privateKey }) => {
      return { address, privateKey: flag("showKeys") ? privateKey : undefined };
    });
    const config = option("config");
    const settings = { endpoints, pauseMs: 0, networks: chain && { devnet: chain.network } };
    if (config !== undefined) await writeFile(config, `${JSON.stringify(settings, null, 2)}\n`);
    const lines = [
      `export KEEPLIGHT_API_URL=${endpoints.api}`,
      `export KEEPLIGHT_UPLOAD_URL=${endpoints.upload}`,
      `export KEEPLIGHT_WALRUS_UPLOAD_URL=${endpoints.walrusUpload}`,
      `export KEEPLIGHT_GATEWAY_URL=${endpoints.gateway}`,
      `export KEEPLIGHT_KEY_NODES_URL=${endpoints.keyNodes}`,
      "export KEEPLIGHT_PAUSE_MS=0",
      ...accounts.map(({ address, privateKey }) => `# ${address}${privateKey ? `  ${privateKey}` : ""}`),
    ].join("\n");
    output.result({ endpoints, accounts, network: chain?.network }, lines, lines);
    output.note("The network is running. Press Ctrl-C to stop it.");
    if (!signal.aborted) await once(signal, "abort");
  } finally {
    await devnet.close();
  }
}
