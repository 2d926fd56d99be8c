// @ts-check
// Runs the incumbent in its own process, as it is CommonJS with eval("require"). Changes only where it sends its
// requests, and its pauses between two key nodes: 1 ms instead of 1 s.
// The call "names" returns the names of all its functions.
// Takes { id, endpoints } once and { id, call, args } after that; responds with { id, result } or { id, error }.
const { dirname, join } = require("node:path");
const lighthouse = require("@lighthouse-web3/sdk").default;
const { lighthouseConfig } = require("@lighthouse-web3/sdk/dist/lighthouse.config.js");
const kavach = require("@lighthouse-web3/kavach");

const realSetTimeout = globalThis.setTimeout;
// @ts-expect-error the same function, except for one duration
globalThis.setTimeout = (run, ms, ...rest) => realSetTimeout(run, ms === 1_000 ? 1 : ms, ...rest);

/** @param {{ api: string, upload: string, walrusUpload: string, gateway: string, keyNodes: string }} endpoints */
function point(endpoints) {
  Object.assign(lighthouseConfig, {
    lighthouseAPI: endpoints.api,
    lighthouseNode: endpoints.upload,
    lighthouseWalrusNode: endpoints.walrusUpload,
    lighthouseGateway: endpoints.gateway,
    lighthouseBLSNode: endpoints.keyNodes,
  });
  // the SDK has its own copy of kavach, older than the one beside it
  const sdk = dirname(require.resolve("@lighthouse-web3/sdk/package.json"));
  for (const root of [__dirname, sdk]) {
    const main = require.resolve("@lighthouse-web3/kavach", { paths: [root] });
    const config = require(join(dirname(main), "..", "config")).default;
    Object.assign(config, { lighthouseBLSNode: endpoints.keyNodes, lighthouseAuthNode: endpoints.keyNodes });
  }
}

/** @type {Map<string, any>} */
const calls = new Map(Object.entries(lighthouse));
for (const [name, call] of Object.entries(kavach)) if (name !== "default") calls.set(`kavach.${name}`, call);
const names = [...calls.keys()];
calls.set("names", () => names);

// Connections and timers that the incumbent leaves behind would keep the process alive.
process.once("disconnect", () => process.exit());

process.on("message", async (/** @type {any} */ { id, endpoints, call, args }) => {
  try {
    if (endpoints) point(endpoints);
    const result = endpoints ? undefined : await calls.get(call)(...args);
    process.send?.({ id, result });
  } catch (error) {
    const text = error instanceof Error ? error.message : JSON.stringify(error);
    process.send?.({ id, error: text });
  }
});
