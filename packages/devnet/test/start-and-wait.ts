import { readdirSync } from "node:fs";
import { tmpdir } from "node:os";
import { startDevnet } from "../src/index.ts";

// A separate process that runs a devnet until it is killed; prints its temporary folder and its chain.
const devnet = await startDevnet({ chain: process.argv[2] === "chain" });
const held = readdirSync(tmpdir()).filter((name) => name.startsWith(`keeplight-devnet-${process.pid}-`));
if (process.argv[2] === "listen") process.on("SIGTERM", () => console.log("the host's own listener"));
console.log(JSON.stringify({ held, rpc: devnet.chain?.rpc, gateway: devnet.endpoints.gateway }));
