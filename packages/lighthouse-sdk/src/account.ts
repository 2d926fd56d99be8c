import { getEndpoints, httpError, plain, withErrors } from "@keeplight/kavach/shared";
import { createApiKey, createWallet as createKitWallet, getBalance as getUsage } from "keeplight";

/** What an account may store and has stored, in bytes. */
export type Balance = {
  dataLimit: number;
  dataUsed: number;
  dataLimitPermanent: number;
  dataUsedPermanent: number;
  walrusDataLimit: number;
  walrusDataUsed: number;
};

/** Creates an API key from a signature of the account's message. */
export async function getApiKey(publicKey: string, signedMessage: string): Promise<{ data: { apiKey: string } }> {
  const apiKey = await withErrors(httpError, () =>
    createApiKey({ address: publicKey, signedMessage, endpoints: getEndpoints() }),
  );
  return { data: { apiKey } };
}

/** Returns how much an account may store and has stored. */
export async function getBalance(apiKey: string): Promise<{ data: Balance }> {
  const usage = await withErrors(plain, () => getUsage({ apiKey, endpoints: getEndpoints() }));
  return { data: usage as Balance };
}

/** Creates a wallet on this machine and encrypts it with a password. */
export async function createWallet(password: string): Promise<{ data: { encryptedWallet: string } }> {
  const { encryptedWallet } = await withErrors(plain, () => createKitWallet(password));
  return { data: { encryptedWallet } };
}
