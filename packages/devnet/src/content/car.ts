import { asyncIterableReader, type BytesReader, readBlockHead, readHeader } from "@ipld/car/decoder";
import { encode } from "@ipld/dag-cbor";
import { varint } from "multiformats";
import { equals } from "multiformats/bytes";
import type { CID } from "multiformats/cid";
import { identity } from "multiformats/hashes/identity";
import { sha256, sha512 } from "multiformats/hashes/sha2";
import { Refusal } from "../http/json.ts";

/** A block with its content id. */
export interface Block {
  cid: CID;
  bytes: Uint8Array;
}

/** Maximum bytes of one block; IPFS itself transfers no more than 2 MiB. */
const MAX_BLOCK_BYTES = 8 * 1024 * 1024;

const MALFORMED = "Malformed CAR file";

const hashers = [sha256, sha512, identity];

/**
 * Reads an archive (CARv1) in one pass, verifies the hash of each block and passes it to `onBlock`; returns the roots.
 * Holds one block at a time.
 *
 * @throws Refusal 400 if anything is malformed, or there is no root.
 */
export async function readCar(
  source: AsyncIterable<Uint8Array>,
  onBlock: (block: Block) => Promise<void>,
): Promise<readonly CID[]> {
  const reader = limitReads(asyncIterableReader(source));
  const { roots } = await refuseMalformed(readHeader(reader, 1));
  while ((await reader.upTo(1)).byteLength > 0) {
    const { cid, blockLength } = await refuseMalformed(readBlockHead(reader));
    const bytes = await refuseMalformed(reader.exactly(blockLength, true));
    if (!(await isHashOf(cid, bytes))) throw new Refusal(400, `Block ${cid} does not match its content id`);
    await onBlock({ cid, bytes });
  }
  if (roots.length === 0) throw new Refusal(400, MALFORMED);
  return roots;
}

/** Bounds what the library reads into memory: it trusts every length that an archive states. */
function limitReads(reader: BytesReader): BytesReader {
  const { exactly } = reader;
  reader.exactly = (length, seek) => {
    if (length > MAX_BLOCK_BYTES) throw new Refusal(400, "Block too large");
    // a section shorter than its own content id would move the reader backwards
    if (length < 0) throw new Refusal(400, MALFORMED);
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
    throw new Refusal(400, isVersion ? "Only CAR files of version 1 are taken" : MALFORMED);
  }
}

async function isHashOf(cid: CID, bytes: Uint8Array): Promise<boolean> {
  const hasher = hashers.find(({ code }) => code === cid.multihash.code);
  if (!hasher) throw new Refusal(400, `Block ${cid} has an unsupported hash`);
  return equals((await hasher.digest(bytes)).digest, cid.multihash.digest);
}

/** Encodes an archive (CARv1) with one root. */
export async function* encodeCar(root: CID, blocks: AsyncIterable<Block>): AsyncGenerator<Uint8Array> {
  const header = encode({ version: 1, roots: [root] });
  yield Buffer.concat([encodeVarint(header.byteLength), header]);
  for await (const { cid, bytes } of blocks) {
    yield Buffer.concat([encodeVarint(cid.bytes.byteLength + bytes.byteLength), cid.bytes]);
    yield bytes;
  }
}

export function encodeVarint(value: number): Uint8Array {
  return varint.encodeTo(value, new Uint8Array(varint.encodingLength(value)));
}
