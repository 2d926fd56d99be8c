import { gcm } from "#platform";
import type { Undo } from "./decrypt.ts";
import { SALT_BYTES } from "./file-format.ts";

/**
 * The encrypted file, made of what a wrong key made of it: the text of GCM is XORed with a stream of bytes that depend
 * on the key and the iv only, so the same key turns it back.
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
