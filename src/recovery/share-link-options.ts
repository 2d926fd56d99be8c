import type { RecoverFileKeyOptions } from "../kavach/keys/recover-file-key.ts";
import type { Optional } from "../options.ts";

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
   * How the encrypted file was split into blocks, as a recovery kit or the manifest of a folder has it: whoever opens the
   * link can then verify the file even if no gateway sends blocks.
   *
   * @default none
   */
  chunkProfile?: string | undefined;
};

/** What a share link holds. */
export interface SharedFile {
  /** Of the encrypted file. */
  cid: string;
  /** For `decrypt`. A secret. */
  key: string;
  /** To suggest; the maker of the link chose it. Every platform can write it, and it is not hidden. */
  name?: string;
  /** For `decrypt`: how the encrypted file was split into blocks. */
  chunkProfile?: string;
}
