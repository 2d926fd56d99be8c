// @ts-check
// A devnet at a distance, in a process of its own: each of its services is behind a relay.
import { startDevnet } from "@keeplight/devnet";
import { startRelay } from "./relay.mjs";

/**
 * @typedef {object} DistantNetwork
 * @property {import("@keeplight/devnet").Devnet["endpoints"]} endpoints
 * @property {string} privateKey of an account
 */

/** @type {{ delayMs: number }} */
const { delayMs } = JSON.parse(process.argv[2] ?? "{}");
process.on("disconnect", () => process.exit());

const { endpoints, accounts } = await startDevnet();
const [api, upload, gateway, keyNodes] = await Promise.all(
  [endpoints.api, endpoints.upload, endpoints.gateway, endpoints.keyNodes].map((url) => startRelay(url, delayMs)),
);
process.send?.({ endpoints: { api, upload, gateway, keyNodes }, privateKey: accounts[0]?.privateKey });
