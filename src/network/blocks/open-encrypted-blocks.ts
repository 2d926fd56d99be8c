import type { ResolvedCall } from "../../base/options.ts";
import { concatBytes } from "../../base/streams/bytes.ts";
import { openRangeDecryptor } from "../../formats/crypto/decrypt-range.ts";
import { HEADER_BYTES, plaintextSize } from "../../formats/crypto/file-format.ts";
import { findFile } from "./find-file.ts";
import { type OpenFile, toOpenFile } from "./open-file.ts";
import { readFile } from "./read-file.ts";

/** An encrypted file whose key is not known yet. */
export interface EncryptedBlocks {
  /** Reads the whole file as it is stored, to prove a key. */
  readAll(): AsyncGenerator<Uint8Array>;
  /** Opens it with a key that is proved. */
  decryptWith(masterKey: string): Promise<OpenFile>;
}

/**
 * Finds an encrypted file by its content id.
 *
 * @throws `CANNOT_DECRYPT` for a file that is too short; what {@link findFile} throws
 */
export async function openEncryptedBlocks(cid: string, call: ResolvedCall): Promise<EncryptedBlocks> {
  const source = await findFile(cid, "", call);
  const size = plaintextSize(source.root.size);
  const readStored = (from: number, to: number) => readFile(source, { from, to }, call.signal);

  return {
    readAll: () => readStored(0, source.root.size),
    async decryptWith(masterKey) {
      const header: Uint8Array[] = [];
      for await (const part of readStored(0, HEADER_BYTES)) header.push(part);
      const { decrypt } = await openRangeDecryptor(masterKey, concatBytes(header));

      async function* read(from: number, to: number): AsyncGenerator<Uint8Array> {
        let position = from;
        for await (const part of readStored(HEADER_BYTES + from, HEADER_BYTES + to)) {
          yield await decrypt(part, position);
          position += part.length;
        }
      }
      return toOpenFile(source, size, read);
    },
  };
}
