import { copyInput } from "../base/copy-input.ts";
import { recoverFileKeyNames } from "../kavach/keys/recover-file-key.ts";
import { checkOptions, fromNames } from "../validation/check-options.ts";
import type { SharedFile, ShareLinkOptions } from "./share-link-options.ts";

export const shareLinkNames = [recoverFileKeyNames, "page,name,key,chunkProfile"] as const;

export const createShareLinkOperation = { options: fromNames(shareLinkNames) };

/**
 * Creates a link that opens an encrypted file without a wallet: `page#keeplight=1&cid=…&key=…&commitment=…`. The
 * key is in the fragment, which browsers do not send to servers. **It cannot be revoked**: everyone who has the link
 * can open the file for good, whether or not the file is shared with them, and everything that handles the link (a
 * chat, a shortener, a synchronised history) has it. For access that ends, use {@link kavachShare}.
 *
 * @throws `INVALID_CID`, `INVALID_KEY`, `INVALID_OPTION`, `MISSING_OWNER`; what recovering the key throws
 *
 * @example
 * const link = await createShareLink(cid, { signer, page: "https://app.example/open", name: "letter.pdf" });
 */
export async function createShareLink(cid: string, options: ShareLinkOptions): Promise<string> {
  options = checkOptions(options, shareLinkNames);
  const { formatLink } = await import("./on-demand.ts");
  return formatLink(cid, options);
}

/**
 * Reads a share link and verifies that its key is the committed key of its file. Nothing is sent.
 *
 * @param link - such as `location.href`; remove the fragment from the page's history afterwards
 * @throws `INVALID_LINK` for anything but a link of {@link createShareLink}, `COMMITMENT_MISMATCH` for one whose key or
 * content id was changed; the errors do not contain the link
 *
 * @example
 * const { cid, key, chunkProfile } = await openShareLink(location.href);
 * const file = await decrypt(cid, { key, chunkProfile, as: "blob" });
 */
export async function openShareLink(link: string | URL): Promise<SharedFile> {
  link = copyInput(link);
  const { readLink } = await import("./on-demand.ts");
  return readLink(link);
}
