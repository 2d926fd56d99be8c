import {
  copyInput,
  type Operation,
  type OptionSchema,
  optional,
  resolveOptions,
  unchecked,
} from "../../base/operation.ts";
import { mixedSchema, type Optional } from "../../base/options.ts";
import { checkChunkProfile } from "../../formats/cid/chunk-profile.ts";
import { assertMasterKey } from "../../formats/crypto/file-format.ts";
import { type RecoverFileKeyOptions, recoverFileKeySchema } from "../../keys/file-keys/recover-file-key.ts";
import type { SharedFile } from "./link-format.ts";

/** Options of `createShareLink`. */
export type ShareLinkOptions = (
  | (RecoverFileKeyOptions & { key?: undefined })
  | (Optional<RecoverFileKeyOptions> & {
      /** The file's master key, 64 hex characters. With it no key node is queried and no owner is required. */
      key: string;
    })
) & {
  /**
   * The page that opens the link, which calls `openShareLink`. It must use https, unless it is on this machine, and
   * should load nothing from other sites: every script in it can read the key.
   */
  page: string | URL;
  /**
   * File name to suggest: at most 255 characters, and such that every platform can write it. No path, control character,
   * `< > : " | ? *`, name of a device (`CON`), dot at the start, or dot or space at the end.
   *
   * @default none
   */
  name?: string | undefined;
  /**
   * How the encrypted file was split into blocks, as a recovery kit or the manifest of a folder has it: the
   * recipient of the link can then verify the file even if no gateway sends blocks.
   *
   * @default none
   */
  chunkProfile?: string | undefined;
};

const schema = {
  ...recoverFileKeySchema,
  ...mixedSchema,
  // Checked by what makes the link.
  page: unchecked<string | URL>(),
  name: unchecked<string>(),
  key: optional((key) => assertMasterKey(key)),
  chunkProfile: optional(checkChunkProfile),
} satisfies OptionSchema<ShareLinkOptions>;

export const createShareLinkOperation = { options: schema } satisfies Operation<ShareLinkOptions>;

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
  const resolved = resolveOptions(schema, options);
  const { formatLink } = await import("./lazy.ts");
  return formatLink(cid, resolved);
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
  const { readLink } = await import("./lazy.ts");
  return readLink(link);
}
