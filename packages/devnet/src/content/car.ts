import { createHash } from "node:crypto";
import { open } from "node:fs/promises";
import { join } from "node:path";
import { asyncIterableReader, type BytesReader, readBlockHead, readHeader } from "@ipld/car/decoder";
import { encode } from "@ipld/dag-cbor";
import { varint } from "multiformats";
import { equals } from "multiformats/bytes";
import { CID } from "multiformats/cid";
import { identity } from "multiformats/hashes/identity";
import { sha256, sha512 } from "multiformats/hashes/sha2";
import { Refusal } from "../http/json.ts";

/** Maximum bytes of one block; IPFS itself transfers no more than 2 MiB. */
const MAX_BLOCK_BYTES = 8 * 1024 * 1024;

/** Where a block is in an archive. */
export interface BlockLocation {
  cid: CID;
  offset: number;
  length: number;
}

/** The contents of an archive; blocks are keyed by multihash, so that any codec finds them. */
export interface CarIndex {
  roots: readonly CID[];
  blocks: ReadonlyMap<string, BlockLocation>;
}

/** The refusal of anything but an archive. */
export const MALFORMED_CAR = "Malformed CAR file";

const hashers = [sha256, sha512, identity];

/** The key of a block in {@link CarIndex.blocks}. */
export function toBlockKey(cid: CID): string {
  return Buffer.from(cid.multihash.bytes).toString("base64");
}

/**
 * Reads an archive (CARv1) in one pass, verifies the hash of each block and records its location. Holds one block at a
 * time.
 *
 * @throws Refusal 400 if anything is malformed.
 */
export async function readCar(source: AsyncIterable<Uint8Array>): Promise<CarIndex> {
  const reader = limitReads(asyncIterableReader(source));
  const { roots } = await refuseMalformed(readHeader(reader, 1));
  const blocks = new Map<string, BlockLocation>();
  while ((await reader.upTo(1)).byteLength > 0) {
    const { cid, blockLength: length } = await refuseMalformed(readBlockHead(reader));
    const offset = reader.pos;
    const bytes = await refuseMalformed(reader.exactly(length, true));
    if (!(await isHashOf(cid, bytes))) throw new Refusal(400, `Block ${cid} does not match its content id`);
    // The reader's id is a view of what it has read, which would stay in memory.
    blocks.set(toBlockKey(cid), { cid: CID.decode(cid.bytes.slice()), offset, length });
  }
  return { roots, blocks };
}

/** Bounds what the library reads into memory: it trusts every length that an archive states. */
function limitReads(reader: BytesReader): BytesReader {
  const { exactly } = reader;
  reader.exactly = (length, seek) => {
    if (length > MAX_BLOCK_BYTES) throw new Refusal(400, "Block too large");
    // a section shorter than its own content id would move the reader backwards
    if (length < 0) throw new Refusal(400, MALFORMED_CAR);
    return exactly(length, seek);
  };
  return reader;
}

async function refuseMalformed<T>(reading: Promise<T>): Promise<T> {
  try {
    return await reading;
  } catch (error) {
    if (error instanceof Refusal) throw error;
    const isVersion = error instanceof Error && error.message.startsWith("Invalid CAR version");
    throw isVersion ? new Refusal(400, "Only CAR files of version 1 are taken") : new Refusal(400, MALFORMED_CAR);
  }
}

async function isHashOf(cid: CID, bytes: Uint8Array): Promise<boolean> {
  const hasher = hashers.find(({ code }) => code === cid.multihash.code);
  if (!hasher) throw new Refusal(400, `Block ${cid} has an unsupported hash`);
  return equals((await hasher.digest(bytes)).digest, cid.multihash.digest);
}

/** A block with its content id. */
export interface Block {
  cid: CID;
  bytes: Uint8Array;
}

/** Encodes the header of an archive (CARv1). */
export function encodeHeader(roots: readonly CID[]): Uint8Array {
  const header = encode({ version: 1, roots });
  return Buffer.concat([encodeVarint(header.byteLength), header]);
}

/** Encodes what precedes the bytes of a block in an archive: their number, and the content id. */
export function encodeBlockHead({ cid, bytes }: Block): Uint8Array {
  return Buffer.concat([encodeVarint(cid.bytes.byteLength + bytes.byteLength), cid.bytes]);
}

export function encodeVarint(value: number): Uint8Array {
  return varint.encodeTo(value, new Uint8Array(varint.encodingLength(value)));
}

export type TreeFile = Awaited<ReturnType<typeof createTreeFile>>;

/**
 * Creates a file in the folder `dir` for the blocks of an upload that its files do not contain: inner nodes, folders, and
 * leaves in an unusual encoding. An archive (CARv1) without roots.
 */
export async function createTreeFile(dir: string) {
  const path = join(dir, "tree");
  const file = await open(path, "w");
  const header = encodeHeader([]);
  const hash = createHash("sha256").update(header);
  await file.write(header, 0, header.byteLength, 0);
  let size = header.byteLength;
  let closed: Promise<void> | undefined;
  /** Closes the file; further calls have no effect. */
  const close = () => {
    closed ??= file.close();
    return closed;
  };
  return {
    path,
    async add(block: Block): Promise<void> {
      const section = Buffer.concat([encodeBlockHead(block), block.bytes]);
      hash.update(section);
      // the importer may add several at once
      const offset = size;
      size += section.byteLength;
      await file.write(section, 0, section.byteLength, offset);
    },
    /** Closes the file and returns its name in the store, which depends on its bytes only; `undefined` if it is empty. */
    async finish(): Promise<string | undefined> {
      await close();
      return size === header.byteLength ? undefined : hash.digest("hex");
    },
    close,
  };
}
