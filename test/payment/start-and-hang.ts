import { startDevnet } from "../../packages/devnet/src/index.ts";

// A process for tests that kill it: prints its chain's URL and keeps running.
const { chain } = await startDevnet({ chain: true });
console.log(chain?.rpc);
if (process.argv[2] === "exit") process.exit(0);
