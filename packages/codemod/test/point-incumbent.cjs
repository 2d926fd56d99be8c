// @ts-check
// Loaded before a program: points the incumbent at the services in ENDPOINTS. Its pauses last 1 ms instead of 1 s.
const { dirname, join } = require("node:path");
const { lighthouseConfig } = require("@lighthouse-web3/sdk/dist/lighthouse.config.js");

const { api, upload, gateway, keyNodes } = JSON.parse(process.env["ENDPOINTS"] ?? "{}");
Object.assign(lighthouseConfig, {
  lighthouseAPI: api,
  lighthouseNode: upload,
  lighthouseGateway: gateway,
  lighthouseBLSNode: keyNodes,
});
// The SDK has its own copy of kavach, older than the one beside it.
const sdk = dirname(require.resolve("@lighthouse-web3/sdk/package.json"));
for (const root of [__dirname, sdk]) {
  const main = require.resolve("@lighthouse-web3/kavach", { paths: [root] });
  const config = require(join(dirname(main), "..", "config")).default;
  Object.assign(config, { lighthouseBLSNode: keyNodes, lighthouseAuthNode: keyNodes });
}
const realSetTimeout = globalThis.setTimeout;
// @ts-expect-error the same function, except for one duration
globalThis.setTimeout = (run, ms, ...rest) => realSetTimeout(run, ms === 1_000 ? 1 : ms, ...rest);
