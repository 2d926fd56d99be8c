import { toStream } from "../../base/streams/reading.ts";
import { IV_BYTES, TAG_BYTES } from "../aes-gcm/gcm.ts";
import type { Sink, Spooled } from "../types.ts";
import { BLOCK_BYTES, toBlocks } from "./blocks.ts";
import { ensureKept, openBlobParts, temporaryBlob } from "./temporary-blob.ts";

/**
 * Keeps bytes encrypted under a key that is only in this page's memory: what the page leaves behind at its end, or
 * another page of this site finds meanwhile, is unreadable.
 *
 * @throws `CANNOT_WRITE`, also later while it is written to
 */
export async function spool(): Promise<Sink<Spooled>> {
  const [kept, seal] = await Promise.all([temporaryBlob(), createSeal()]);
  let count = 0;
  // While one block is written, the next one is sealed.
  let written = Promise.resolve();
  const blocks = toBlocks(seal ? BLOCK_BYTES - TAG_BYTES : BLOCK_BYTES, async (block) => {
    if (!seal) {
      await kept.write(block);
      return block.buffer;
    }
    const [sealed] = await Promise.all([seal.close(block, count++), written]);
    written = kept.write(sealed);
    // Reported by the next block, or at the end.
    written.catch(() => undefined);
    return block.buffer;
  });
  return {
    write: blocks.write,
    async commit() {
      await blocks.end();
      await written;
      const { blob, discard } = await kept.commit();
      return { stream: () => toStream(readBlocks(blob, seal), discard), discard };
    },
    async abandon() {
      await written.catch(() => undefined);
      await kept.abandon();
    },
  };
}

/** Yields the original bytes. */
async function* readBlocks(blob: Blob, seal: Seal | undefined): AsyncGenerator<Uint8Array, void> {
  async function read(number: number): Promise<Uint8Array> {
    const at = number * BLOCK_BYTES;
    const block = new Uint8Array(await blob.slice(at, at + BLOCK_BYTES).arrayBuffer());
    if (block.length !== Math.min(BLOCK_BYTES, blob.size - at)) throw new Error("a block is shorter than it was");
    return seal ? seal.open(block, number) : block;
  }

  const count = Math.ceil(blob.size / BLOCK_BYTES);
  let ahead: Promise<Uint8Array> | undefined;
  for (let number = 0; number < count; number++) {
    const block = ahead ?? read(number);
    ahead = number + 1 < count ? read(number + 1) : undefined;
    // Reported in its turn.
    ahead?.catch(() => undefined);
    yield await ensureKept(block);
  }
}

type Seal = NonNullable<Awaited<ReturnType<typeof createSeal>>>;

/** Encrypts blocks by a key that exists only here; `undefined` without WebCrypto: insecure origins have no files either. */
async function createSeal() {
  const subtle = globalThis.crypto?.subtle;
  if (!subtle) return undefined;
  const key = await subtle.generateKey({ name: "AES-GCM", length: 256 }, false, ["encrypt", "decrypt"]);
  type Bytes = Uint8Array<ArrayBuffer>;
  return {
    /** Encrypts a block under this number, and adds {@link TAG_BYTES}; the block is no longer needed when this returns. */
    close: async (block: Bytes, number: number) => new Uint8Array(await subtle.encrypt(settings(number), key, block)),
    /** Decrypts a block; rejects unless it was closed under this number. */
    open: async (sealed: Bytes, number: number) => new Uint8Array(await subtle.decrypt(settings(number), key, sealed)),
  };
}

/** The key is for one file, so the number of a block is a unique initialisation vector. */
function settings(number: number): AesGcmParams {
  const iv = new Uint8Array(IV_BYTES);
  new DataView(iv.buffer).setUint32(0, number);
  return { name: "AES-GCM", iv };
}

/**
 * Collects a Blob in the browser's own store, which later visitors of the page cannot reach, and which releases the bytes
 * with the Blob. A file of the origin private file system would do neither.
 */
export async function blobSink(): Promise<Sink<Blob>> {
  const parts = await openBlobParts();
  const blocks = toBlocks(BLOCK_BYTES, async (block) => {
    await parts.add(block);
    return block.buffer;
  });
  return {
    write: blocks.write,
    async commit() {
      await blocks.end();
      return parts.finish();
    },
    // Nothing holds the parts but this sink.
    abandon: async () => undefined,
  };
}
