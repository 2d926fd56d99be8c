import { Wallet } from "ethers";
import { startDevnet } from "../packages/devnet/src/index.ts";
import { createApiKey } from "../src/index.ts";

// A devnet in a process of its own: sends the options of uploads to it, and who signs; ends with the process that started it.

const devnet = await startDevnet();
const { endpoints } = devnet;
const privateKey = devnet.accounts[0]?.privateKey ?? "";
process.on("disconnect", () => void devnet.close().finally(() => process.exit()));
process.send?.({ endpoints, privateKey, apiKey: await createApiKey({ signer: new Wallet(privateKey), endpoints }) });
