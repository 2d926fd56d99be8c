import { Wallet } from "ethers";
import { type BearerOptions, createApiKey, defaultEndpoints, type Endpoints, type KeyNodeOptions } from "keeplight";
import { type Devnet, type DevnetOptions, startDevnet } from "keeplight/devnet";
import { say, step } from "./story.ts";

/** The network an example runs on, and who it runs as. */
export interface ExampleNetwork {
  /** To be passed to `createKit`, with a signer where something is to be signed. */
  options: BearerOptions & KeyNodeOptions;
  /** The account's wallet. */
  signer: Wallet;
  endpoints: Endpoints;
  /** Where the example runs on this machine. */
  devnet: Devnet | undefined;
  close(): Promise<void>;
}

/** What an example wants of its network. */
interface Wanted {
  /** Whether a wallet has to sign, which then is KEEPLIGHT_PRIVATE_KEY. Default `false`. */
  signer?: boolean;
  devnet?: DevnetOptions;
}

/**
 * The public network if KEEPLIGHT_API_KEY is set (and KEEPLIGHT_PRIVATE_KEY where something is to be signed), else a
 * devnet with an account of its own.
 */
export async function openNetwork(wanted: Wanted = {}): Promise<ExampleNetwork> {
  const { KEEPLIGHT_API_KEY: apiKey, KEEPLIGHT_PRIVATE_KEY: privateKey } = process.env;
  return apiKey ? publicNetwork(apiKey, privateKey, wanted) : ownNetwork(wanted);
}

function publicNetwork(apiKey: string, privateKey: string | undefined, wanted: Wanted): ExampleNetwork {
  if (wanted.signer && !privateKey) throw new Error("This example signs: set KEEPLIGHT_PRIVATE_KEY as well.");
  const signer = new Wallet(privateKey ?? Wallet.createRandom().privateKey);
  step("The public network");
  if (wanted.signer) say(`as ${signer.address}`);
  return { options: { apiKey }, signer, endpoints: defaultEndpoints, devnet: undefined, close: async () => {} };
}

async function ownNetwork(wanted: Wanted): Promise<ExampleNetwork> {
  const devnet = await startDevnet(wanted.devnet);
  const [account] = devnet.accounts;
  if (!account) throw new Error("the devnet has no accounts");
  const signer = new Wallet(account.privateKey);
  const { endpoints } = devnet;
  step("A network on this machine");
  say(`as ${signer.address}; set KEEPLIGHT_API_KEY to run on the public network instead`);
  const apiKey = await createApiKey({ signer, endpoints });
  // Key nodes want a second between two calls; here they are ours.
  return { options: { apiKey, endpoints, pauseMs: 0 }, signer, endpoints, devnet, close: () => devnet.close() };
}
