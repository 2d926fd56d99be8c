// @ts-check
import { fileURLToPath } from "node:url";
import { startDevnet } from "@keeplight/devnet";
import { isKeeplightError } from "keeplight";
import { createServer } from "vite";
import { devnetPlugin } from "../apps/web/devnet/plugin.ts";

// Runs the web app on a devnet of its own: prints its URL, and runs until it is interrupted.

// With a chain for payments, if anvil is installed.
const devnet = await startDevnet({ chain: true }).catch((error) => {
  if (!isKeeplightError(error) || error.code !== "UNSUPPORTED") throw error;
  console.log(`No chain, so no payments: ${error.message}`);
  return startDevnet();
});
const server = await createServer({
  root: fileURLToPath(new URL("../apps/web", import.meta.url)),
  server: { host: "127.0.0.1", port: Number(process.env["PORT"] ?? 5173) },
  plugins: [devnetPlugin(devnet)],
});
await server.listen();
console.log("The app:");
server.printUrls();
console.log("Its network:");
for (const [service, url] of Object.entries(devnet.endpoints)) console.log(`  ${service.padEnd(9)} ${url}`);
console.log("Press Ctrl+C to stop.");

let stopping = false;
for (const signal of /** @type {const} */ (["SIGINT", "SIGTERM"])) {
  process.on(signal, async () => {
    if (stopping) process.exit(1);
    stopping = true;
    await Promise.allSettled([server.close(), devnet.close()]);
    process.exit(0);
  });
}
