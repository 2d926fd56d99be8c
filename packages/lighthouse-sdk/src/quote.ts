import { getEndpoints, orFileError, plain, type Unchecked, withErrors } from "@keeplight/kavach/shared";
import { getQuote as getKitQuote } from "keeplight";
import { type Balance, getBalance } from "./account.ts";
import { toSource } from "./upload-call.ts";

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
