import { type Devnet, type DevnetOptions, startDevnet } from "@keeplight/devnet";
import { Wallet } from "ethers";
import { type BearerOptions, createApiKey, defaultEndpoints, type Endpoints, type KeyNodeOptions } from "keeplight";
import { print, step } from "./story.ts";

/** The network that an example runs on, and its account. */
export interface ExampleNetwork {
  /** For `createKit`; examples that sign add the signer. */
  options: BearerOptions & KeyNodeOptions;
  /** The account's wallet. */
  signer: Wallet;
  endpoints: Endpoints;
  /** Only if the example runs on a devnet. */
  devnet: Devnet | undefined;
  close(): Promise<void>;
}

/** What an example requires. */
interface Requirements {
  /** Whether the example signs, on the public network with KEEPLIGHT_PRIVATE_KEY. Default `false`. */
  signer?: boolean;
  devnet?: DevnetOptions;
}

/**
 * Opens the public network if KEEPLIGHT_API_KEY is set (and KEEPLIGHT_PRIVATE_KEY, if the example signs), otherwise
 * starts a devnet with an account of its own.
 */
export async function openNetwork(requirements: Requirements = {}): Promise<ExampleNetwork> {
  const { KEEPLIGHT_API_KEY: apiKey, KEEPLIGHT_PRIVATE_KEY: privateKey } = process.env;
  return apiKey ? openPublicNetwork(apiKey, privateKey, requirements) : openDevnet(requirements);
}

function openPublicNetwork(apiKey: string, privateKey: string | undefined, requirements: Requirements): ExampleNetwork {
  if (requirements.signer && !privateKey) throw new Error("This example signs: set KEEPLIGHT_PRIVATE_KEY as well.");
  const signer = new Wallet(privateKey ?? Wallet.createRandom().privateKey);
  step("The public network");
  if (requirements.signer) print(`as ${signer.address}`);
  return { options: { apiKey }, signer, endpoints: defaultEndpoints, devnet: undefined, close: async () => {} };
}

async function openDevnet(requirements: Requirements): Promise<ExampleNetwork> {
  const devnet = await startDevnet(requirements.devnet);
  const [account] = devnet.accounts;
  if (!account) throw new Error("the devnet has no accounts");
  const signer = new Wallet(account.privateKey);
  const { endpoints } = devnet;
  step("A local devnet");
  print(`as ${signer.address}; set KEEPLIGHT_API_KEY to run on the public network instead`);
  const apiKey = await createApiKey({ signer, endpoints });
  // Public key nodes require a second between two calls; the devnet does not.
  return { options: { apiKey, endpoints, pauseMs: 0 }, signer, endpoints, devnet, close: () => devnet.close() };
}
