import { readdirSync } from "node:fs";
import { tmpdir } from "node:os";
import { startDevnet } from "../src/index.ts";

// A separate process that does not close its devnet; prints its temporary folder.
await startDevnet();
const held = readdirSync(tmpdir()).filter((name) => name.startsWith(`keeplight-devnet-${process.pid}-`));
process.stdout.write(JSON.stringify({ pid: process.pid, held }), () => process.exit());
