import { startDevnet } from "../src/index.ts";

// A devnet in a separate process, with options in JSON. Sends its endpoints, accounts and certificate, and its peak memory in MiB on request.
const devnet = await startDevnet(JSON.parse(process.argv[2] ?? "{}"));
process.on("message", () => process.send?.(process.resourceUsage().maxRSS / 1024));
process.on("disconnect", () => devnet.close());
const { endpoints, accounts, certificate } = devnet;
process.send?.({ endpoints, accounts, certificate });
