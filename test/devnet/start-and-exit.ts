import { readdirSync } from "node:fs";
import { tmpdir } from "node:os";
import { startDevnet } from "../../src/devnet/index.ts";

// A process of its own that does not close its devnet; it prints which temporary folder it had.
await startDevnet();
const held = readdirSync(tmpdir()).filter((name) => name.startsWith(`keeplight-devnet-${process.pid}-`));
process.stdout.write(JSON.stringify({ pid: process.pid, held }), () => process.exit());
