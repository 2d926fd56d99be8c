import { once } from "node:events";
import { writeFile } from "node:fs/promises";
import type { Invocation } from "../frame/invocation.ts";
import { readWhole } from "../steps/inputs.ts";

/** Runs the whole network on this machine, until it is interrupted. */
export async function runDevnet({ output, option, flag, signal }: Invocation): Promise<void> {
  const { startDevnet } = await import("@keeplight/devnet");
  const dataDir = option("data");
  const port = readWhole("--port", option("port"));
  const devnet = await startDevnet({
    chain: flag("chain"),
    ...(port === undefined ? {} : { port }),
    ...(dataDir === undefined ? {} : { dataDir }),
  });
  try {
    const { endpoints, chain } = devnet;
    const accounts = devnet.accounts.map(({ address, privateKey }) =>
      flag("showKeys") ? { address, privateKey } : { address },
    );
    const network = chain ? { network: chain.network } : {};
    const config = option("config");
    if (config !== undefined) {
      const settings = { endpoints, pauseMs: 0, ...(chain ? { networks: { devnet: chain.network } } : {}) };
      await writeFile(config, `${JSON.stringify(settings, null, 2)}\n`);
    }
    const lines = [
      `export KEEPLIGHT_API_URL=${endpoints.api}`,
      `export KEEPLIGHT_UPLOAD_URL=${endpoints.upload}`,
      `export KEEPLIGHT_GATEWAY_URL=${endpoints.gateway}`,
      `export KEEPLIGHT_KEY_NODES_URL=${endpoints.keyNodes}`,
      "export KEEPLIGHT_PAUSE_MS=0",
      ...accounts.map(({ address, privateKey }) => `# ${address}${privateKey ? `  ${privateKey}` : ""}`),
    ].join("\n");
    output.result({ endpoints, accounts, ...network }, { text: () => lines, quiet: lines });
    output.note("The network is running. Press Ctrl-C to stop it.");
    if (!signal.aborted) await once(signal, "abort");
  } finally {
    await devnet.close();
  }
}
