import { unchecked } from "../../base/checks.ts";
import { type Operation, type OptionSchema, resolveOptions } from "../../base/operation.ts";
import { type CallOptions, mixedSchema, type Optional } from "../../base/options.ts";
import type { KeyProofOptions, RecoverFileKeyOptions } from "../../keys/file-keys/recover-file-key.ts";
import { shardRequestSchema } from "../../keys/file-keys/retrieve-shard.ts";
import { ownerCallSchema } from "../../keys/nodes/owner-call.ts";
import type { DownloadOptions } from "../download/download.ts";
import type { OpenedFolder } from "./read-folder.ts";

/** Options of {@link readEncryptedFolder}. */
export type ReadEncryptedFolderOptions = CallOptions &
  (
    | (RecoverFileKeyOptions & { key?: undefined })
    | (Optional<RecoverFileKeyOptions> & {
        /**
         * The manifest's master key, 64 hex characters, or several, as a recovery kit may have: its tag decides. With it no
         * key node is queried and no owner is required.
         */
        key: string | readonly string[];
      })
  ) &
  KeyProofOptions &
  Pick<DownloadOptions, "verifyCid" | "chunkProfile">;

const readSchema = {
  ...ownerCallSchema,
  ...mixedSchema,
  ...shardRequestSchema,
  // The others are those of decrypt, which checks them.
  threshold: unchecked(),
  strict: unchecked(),
  commitment: unchecked(),
  key: unchecked<string | readonly string[]>(),
  verifyCid: unchecked(),
  chunkProfile: unchecked(),
} satisfies OptionSchema<ReadEncryptedFolderOptions>;

export const readEncryptedFolderOperation = { options: readSchema } satisfies Operation<ReadEncryptedFolderOptions>;

/**
 * Reads the tree of an encrypted folder: decrypts its manifest and checks all that it says. Each file then opens by
 * `decrypt` or `openEncrypted`, with its content id, and its `commitment` if it must be the file that the owner listed.
 * Paths are names in the folder, never places on this machine.
 *
 * Unless it is called with a `key`, the key nodes have to know the account that wrote the manifest as its owner: another one
 * cannot pass its folder off as that account's. After a transfer of the manifest to another account it can therefore only be
 * read by `decrypt`.
 *
 * @throws `INVALID_FOLDER` for a file that is no manifest, or a malformed one; what {@link decrypt} and
 * {@link kavachGetAccessConditions} throw
 *
 * @example
 * const { name, files } = await readEncryptedFolder(cid, { signer });
 */
export async function readEncryptedFolder(cid: string, options: ReadEncryptedFolderOptions): Promise<OpenedFolder> {
  const resolved = resolveOptions(readSchema, options);
  const { readFolder } = await import("../lazy.ts");
  return readFolder(cid, resolved);
}
