import { gcm } from "#platform";
import type { Undo } from "./decrypt.ts";
import { SALT_BYTES } from "./file-format.ts";

/**
 * Restores an encrypted file from what decryption with a wrong key made of it: GCM XORs the text with a key stream that
 * depends on the key and the iv only, so encrypting with the same key reverses it.
 */
export async function* encryptAgain(
  output: AsyncIterable<Uint8Array>,
  { fileKey, header, tag }: Undo,
): AsyncGenerator<Uint8Array> {
  const encryptor = await gcm.encryptor({ key: fileKey, iv: header.subarray(SALT_BYTES) });
  yield header;
  for await (const chunk of output) yield encryptor.update(chunk);
  yield (await encryptor.finish()).rest;
  yield tag;
}
