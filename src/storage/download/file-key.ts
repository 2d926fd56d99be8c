import { SHORT_TIMEOUT_MS } from "../../base/config/limits.ts";
import { invalidOption } from "../../base/errors/input.ts";
import { commitmentMismatch } from "../../base/errors/recovery.ts";
import type { OptionSchema, Resolved } from "../../base/operation.ts";
import { mixedSchema, type Optional } from "../../base/options.ts";
import { computeCommitment } from "../../formats/crypto/commitment.ts";
import { assertMasterKey } from "../../formats/crypto/master-key.ts";
import {
  type KeyProofOptions,
  type KeySearch,
  type RecoverFileKeyOptions,
  recoverFileKeySchema,
  searchFileKey,
} from "../../keys/file-keys/recover-file-key.ts";

/** Where the key of an encrypted file comes from: the key nodes, or the caller. */
export type FileKeyOptions =
  | (RecoverFileKeyOptions & { key?: undefined })
  | (Optional<RecoverFileKeyOptions> & {
      /**
       * The file's master key, 64 hex characters, or several, as a recovery kit may have: `commitment` or the file's tag
       * decides. With it no key node is queried and no owner is required.
       */
      key: string | readonly string[];
    });

/** Checks {@link FileKeyOptions}. */
export const fileKeySchema = {
  ...recoverFileKeySchema,
  ...mixedSchema,
  key(key, name): string | string[] | undefined {
    if (key === undefined) return undefined;
    if (!Array.isArray(key)) return assertMasterKey(key);
    if (key.length === 0) throw invalidOption(name, "a key, or a list of at least one");
    return key.map(assertMasterKey);
  },
} satisfies OptionSchema<FileKeyOptions>;

type ResolvedFileKey = Resolved<typeof fileKeySchema>;

/** Searches for a file's key on the key nodes, as {@link searchFileKey} does. */
export function searchKeyNodes(cid: string, options: ResolvedFileKey, proof: KeyProofOptions): Promise<KeySearch> {
  return searchFileKey(cid, { ...options, timeoutMs: options.timeoutMs ?? SHORT_TIMEOUT_MS }, proof);
}

/**
 * Returns the keys that the caller passed, each once: with `commitment` only the committed one.
 *
 * @throws `COMMITMENT_MISMATCH`
 */
export async function listGivenKeys(
  cid: string,
  key: NonNullable<ResolvedFileKey["key"]>,
  commitment: string | undefined,
): Promise<string[]> {
  const keys = [...new Set([key].flat())];
  if (commitment === undefined) return keys;
  for (const each of keys) if ((await computeCommitment(cid, each)) === commitment) return [each];
  throw commitmentMismatch(cid);
}
