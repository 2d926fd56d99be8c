import { httpError, orFileError, plain, toData, type Unchecked, withErrors } from "@keeplight/kavach/shared";
import {
  createApiKey,
  createWallet as createKitWallet,
  getQuote as getKitQuote,
  getBalance as getUsage,
} from "keeplight";
import { toSource } from "./upload.ts";

/** What an account may store and has stored, in bytes. */
const usageFields = [
  "dataLimit",
  "dataUsed",
  "dataLimitPermanent",
  "dataUsedPermanent",
  "walrusDataLimit",
  "walrusDataUsed",
] as const;

type Balance = Record<(typeof usageFields)[number], number>;

/** Creates an API key from a signature of the account's message. */
export async function getApiKey(publicKey: string, signedMessage: string): Promise<{ data: { apiKey: string } }> {
  return toData(httpError, async (endpoints) => {
    return { apiKey: await createApiKey({ address: publicKey, signedMessage, endpoints }) };
  });
}

/** Returns how much an account may store and has stored. */
export async function getBalance(apiKey: string): Promise<{ data: Balance }> {
  return toData(plain, (endpoints) => getUsage({ apiKey, endpoints }) as Promise<Balance>);
}

/** Creates a wallet on this machine and encrypts it with a password. */
export async function createWallet(password: string): Promise<{ data: { encryptedWallet: string } }> {
  const { encryptedWallet } = await withErrors(plain, () => createKitWallet(password));
  return { data: { encryptedWallet } };
}

/** The files of an upload, and what the account may store. */
type Quote = Balance & {
  metaData: { fileSize: Unchecked; mimeType: Unchecked; fileName: string | undefined }[];
  totalSize: Unchecked;
};

/** Returns the size of an upload, and how much the account may store and has stored. */
export async function getQuote(path: string, apiKey: string): Promise<{ data: Quote }> {
  const source = toSource(path) as string;
  const { data: balance } = await getBalance(apiKey);
  const { data: quote } = await toData(orFileError(plain), (endpoints) => getKitQuote(source, { endpoints }));
  const metaData = quote.metaData.map(({ fileSize, mimeType, fileName }) => ({
    fileSize,
    mimeType: mimeType ?? false,
    fileName: fileName.split("/").pop(),
  }));
  const usage = Object.fromEntries(usageFields.map((field) => [field, balance[field]])) as Balance;
  return { data: { metaData, ...usage, totalSize: quote.totalSize } };
}
