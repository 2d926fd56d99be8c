import type { PreparedEncryption } from "../../crypto/encrypt.ts";
import type { UploadSteps } from "./upload-steps.ts";

/**
 * Derives one key for many files, by a new random salt. The files differ in their ivs, which are random, too: 96 bits, of
 * which no two are the same in practice for the 100,000 files of a folder (NIST SP 800-38D, 8.3 allows 2^32 files).
 *
 * @returns a function that returns the preparation of another file each time
 */
export function deriveOnce(
  masterKey: string,
  { deriveFileKey, generateNonces, prepareEncryption }: DeriveSteps,
): () => Promise<PreparedEncryption> {
  const { salt } = generateNonces();
  const key = deriveFileKey(masterKey, salt);
  // The first file that awaits it throws the failure.
  key.catch(() => undefined);
  return async () => prepareEncryption(masterKey, { ...generateNonces(), salt, key: await key });
}

type DeriveSteps = Pick<UploadSteps, "deriveFileKey" | "generateNonces" | "prepareEncryption">;
