import { getEndpoints, httpError, orFileError, plain, type Unchecked, withErrors } from "@keeplight/kavach/shared";
import {
  createApiKey,
  createWallet as createKitWallet,
  getQuote as getKitQuote,
  getBalance as getUsage,
} from "keeplight";
import { toSource } from "./upload.ts";

/** What an account may store and has stored, in bytes. */
type Balance = {
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

/** The files of an upload, and what the account may store. */
type Quote = Balance & {
  metaData: { fileSize: Unchecked; mimeType: Unchecked; fileName: string | undefined }[];
  totalSize: Unchecked;
};

/** Returns the size of an upload, and how much the account may store and has stored. */
export async function getQuote(path: string, apiKey: string): Promise<{ data: Quote }> {
  const source = toSource(path) as string;
  const { data: balance } = await getBalance(apiKey);
  const { metaData, totalSize } = await withErrors(orFileError(plain), () =>
    getKitQuote(source, { endpoints: getEndpoints() }),
  );
  const { dataLimit, dataUsed, dataLimitPermanent, dataUsedPermanent, walrusDataLimit, walrusDataUsed } = balance;
  return {
    data: {
      metaData: metaData.map(({ fileSize, mimeType, fileName }) => ({
        fileSize,
        mimeType: mimeType ?? false,
        fileName: fileName.split("/").pop(),
      })),
      dataLimit,
      dataUsed,
      dataLimitPermanent,
      dataUsedPermanent,
      walrusDataLimit,
      walrusDataUsed,
      totalSize,
    },
  };
}
