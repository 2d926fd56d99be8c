import { startDevnet } from "../../src/devnet/index.ts";

// A process of its own, to be ended in a hurry: it says where its chain is, and goes on.
const { chain } = await startDevnet({ chain: true });
console.log(chain?.rpc);
if (process.argv[2] === "exit") process.exit(0);
