import { decrypt, encrypt, LAST, type RepositoryKeys, SALT_BYTES, TAG_BYTES } from "./keys.ts";

// A pack: magic, salt, encrypted chunks, encrypted directory, length of the encrypted directory.

const MAGIC = new TextEncoder().encode("keeplight pack 1");
export const PACK_HEADER_BYTES = MAGIC.length + SALT_BYTES;
const PACK_END_BYTES = 4;

/** Where a chunk is in its pack. */
export interface PackedChunk {
  /** In base64url. */
  id: string;
  /** Its number in the pack, from 0. */
  number: number;
  /** Position in the pack, in bytes. */
  at: number;
  /** Size in the pack, in bytes. */
  sealed: number;
  /** Size of the chunk itself, in bytes. */
  size: number;
}

/** What a pack has. */
export interface PackDirectory {
  /** When the pack was started, in milliseconds since 1970. */
  createdAt: number;
  chunks: PackedChunk[];
}

export function createPackHeader(salt: Uint8Array): Uint8Array {
  return Buffer.concat([MAGIC, salt]);
}

const ID_BYTES = 32;
const TIME_BYTES = 8;
const ROW_BYTES = ID_BYTES + 4 + 4;

/** The longest directory that is read: of a pack of chunks of a few bytes. */
const MAX_DIRECTORY_BYTES = 64 * 1024 * 1024;

/** Encodes a directory as bytes: a cache keeps them as they are. */
export function encodeDirectory({ createdAt, chunks }: PackDirectory): Buffer {
  const bytes = Buffer.alloc(TIME_BYTES + chunks.length * ROW_BYTES);
  bytes.writeBigUInt64BE(BigInt(createdAt));
  for (const [row, { id, sealed, size }] of chunks.entries()) {
    const at = TIME_BYTES + row * ROW_BYTES;
    bytes.write(id, at, "base64url");
    bytes.writeUInt32BE(sealed, at + ID_BYTES);
    bytes.writeUInt32BE(size, at + ID_BYTES + 4);
  }
  return bytes;
}

/** The longest chunk that is read, which bounds memory, no matter who wrote a pack. */
const MAX_CHUNK_BYTES = 16 * 1024 * 1024;

/** Reads a directory; `undefined` if it is malformed. */
export function decodeDirectory(bytes: Uint8Array): PackDirectory | undefined {
  if (bytes.length < TIME_BYTES || (bytes.length - TIME_BYTES) % ROW_BYTES !== 0) return undefined;
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const chunks: PackedChunk[] = [];
  let position = PACK_HEADER_BYTES;
  for (let at = TIME_BYTES; at < buffer.length; at += ROW_BYTES) {
    const sealed = buffer.readUInt32BE(at + ID_BYTES);
    const size = buffer.readUInt32BE(at + ID_BYTES + 4);
    if (size > MAX_CHUNK_BYTES || sealed > MAX_CHUNK_BYTES + 1 + TAG_BYTES) return undefined;
    const id = buffer.toString("base64url", at, at + ID_BYTES);
    chunks.push({ id, number: chunks.length, at: position, sealed, size });
    position += sealed;
  }
  return { createdAt: Number(buffer.readBigUInt64BE()), chunks };
}

/** Returns what a pack ends with. */
export function sealDirectory(directory: PackDirectory, key: Uint8Array): Uint8Array {
  const sealed = encrypt(key, LAST, encodeDirectory(directory));
  const length = Buffer.alloc(PACK_END_BYTES);
  length.writeUInt32BE(sealed.length);
  return Buffer.concat([sealed, length]);
}

/** Bytes of a pack, from one position to another. */
export type ReadRange = (from: number, to: number) => Promise<Uint8Array>;

/** Read at once at the end of a pack: the whole directory of most. */
const TAIL_BYTES = 64 * 1024;

/** Derives the key of a pack by its first bytes; `undefined` if it is no pack. */
export function openPackHeader(header: Uint8Array, keys: RepositoryKeys): Uint8Array | undefined {
  const isPack = header.length === PACK_HEADER_BYTES && Buffer.compare(header.subarray(0, MAGIC.length), MAGIC) === 0;
  return isPack ? keys.deriveKey("pack", header.subarray(MAGIC.length)) : undefined;
}

/**
 * Reads the directory of a pack; `undefined` if it is no pack of this repository.
 *
 * @throws what `read` throws
 */
export async function readDirectory(
  size: number,
  read: ReadRange,
  keys: RepositoryKeys,
): Promise<PackDirectory | undefined> {
  if (size < PACK_HEADER_BYTES + TAG_BYTES + PACK_END_BYTES) return undefined;
  const key = openPackHeader(await read(0, PACK_HEADER_BYTES), keys);
  if (!key) return undefined;
  const tail = await read(Math.max(PACK_HEADER_BYTES, size - TAIL_BYTES), size);
  const length = Buffer.from(tail.buffer, tail.byteOffset, tail.length).readUInt32BE(tail.length - PACK_END_BYTES);
  const from = size - PACK_END_BYTES - length;
  if (from < PACK_HEADER_BYTES || length > MAX_DIRECTORY_BYTES) return undefined;
  const isInTail = length + PACK_END_BYTES <= tail.length;
  const sealed = isInTail
    ? tail.subarray(tail.length - PACK_END_BYTES - length, tail.length - PACK_END_BYTES)
    : await read(from, size - PACK_END_BYTES);
  const bytes = decrypt(key, LAST, sealed);
  return bytes && decodeDirectory(bytes);
}
