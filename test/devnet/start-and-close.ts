import { startDevnet } from "../../src/devnet/index.ts";

// A process of its own: it ends by itself only if nothing of a closed devnet is left.
const devnet = await startDevnet();
await fetch(`${devnet.endpoints.api}/api/auth/get_message?publicKey=${devnet.accounts[0]?.address}`);
await devnet.close();
console.log("closed");
