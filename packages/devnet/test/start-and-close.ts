import { startDevnet } from "../src/index.ts";

// A separate process, which exits only if a closed devnet leaves nothing running.
const devnet = await startDevnet();
await fetch(`${devnet.endpoints.api}/api/auth/get_message?publicKey=${devnet.accounts[0]?.address}`);
await devnet.close();
console.log("closed");
