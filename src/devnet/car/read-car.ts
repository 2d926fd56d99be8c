import { createHash, timingSafeEqual } from "node:crypto";
import { decode } from "@ipld/dag-cbor";
import { CID } from "multiformats/cid";
import { Refusal } from "../http/json.ts";
import { type ChunkReader, readChunks } from "./chunk-reader.ts";

/** Bytes of the largest block that is taken; IPFS itself passes on no more than 2 MiB. */
const LARGEST_BLOCK = 8 * 1024 * 1024;

/** Where a block is in an archive. */
interface BlockPlace {
  offset: number;
  length: number;
}

/** What an archive holds; blocks are found by their multihash, whatever codec they are asked for in. */
export interface CarIndex {
  roots: readonly CID[];
  blocks: ReadonlyMap<string, BlockPlace>;
}

/** Hash functions by their multicodec numbers; 0 is the identity, for data that are their own name. */
const hashNames: Readonly<Record<number, string>> = { 18: "sha256", 19: "sha512" };
const IDENTITY = 0;

/** The name under which a block is in {@link CarIndex.blocks}. */
export function blockKey(cid: CID): string {
  return Buffer.from(cid.multihash.bytes).toString("base64");
}

/** The data of a block that are in its own id. */
export function inlineBlock({ multihash }: CID): Uint8Array | undefined {
  return multihash.code === IDENTITY ? multihash.digest : undefined;
}

/**
 * Reads an archive (CARv1) in one pass, checks that each block hashes to its id and notes where it is.
 *
 * @throws Refusal 400 for anything malformed.
 */
export async function readCar(source: AsyncIterable<Uint8Array>): Promise<CarIndex> {
  const reader = readChunks(source);
  const roots = readHeader(await section(reader));
  const blocks = new Map<string, BlockPlace>();
  while (!(await reader.atEnd())) {
    const bytes = await section(reader);
    const [cid, data] = splitBlock(bytes);
    if (!isHashOf(cid, data)) throw new Refusal(400, `Block ${cid} does not match its content id`);
    blocks.set(blockKey(cid), { offset: reader.offset() - data.byteLength, length: data.byteLength });
  }
  return { roots, blocks };
}

function readHeader(bytes: Uint8Array): CID[] {
  const { version, roots } = decodeHeader(bytes);
  if (version !== 1) throw new Refusal(400, "Only CAR files of version 1 are taken");
  const list: unknown[] = Array.isArray(roots) ? roots : [];
  const cids = list.map((root) => CID.asCID(root));
  if (cids.length === 0 || cids.includes(null)) throw malformed();
  return cids.filter((cid) => cid !== null);
}

function decodeHeader(bytes: Uint8Array): { version?: unknown; roots?: unknown } {
  try {
    return decode<{ version?: unknown; roots?: unknown } | null>(bytes) ?? {};
  } catch {
    throw malformed();
  }
}

/** The next part of the archive, which begins with its length. */
async function section(reader: ChunkReader): Promise<Uint8Array> {
  let length = 0;
  for (let shift = 0; ; shift += 7) {
    const byte = (await reader.take(1))?.[0];
    if (byte === undefined || shift > 28) throw malformed();
    length += (byte & 0x7f) * 2 ** shift;
    if (byte < 0x80) break;
  }
  if (length > LARGEST_BLOCK) throw new Refusal(400, "Block too large");
  const bytes = await reader.take(length);
  if (!bytes) throw malformed();
  return bytes;
}

function splitBlock(bytes: Uint8Array): [CID, Uint8Array] {
  try {
    const [cid, data] = CID.decodeFirst(bytes);
    return [cid, data];
  } catch {
    throw malformed();
  }
}

function isHashOf(cid: CID, data: Uint8Array): boolean {
  const { code, digest } = cid.multihash;
  const name = hashNames[code];
  if (code !== IDENTITY && name === undefined) throw new Refusal(400, `Block ${cid} has an unsupported hash`);
  const actual = name === undefined ? data : createHash(name).update(data).digest();
  return actual.byteLength === digest.byteLength && timingSafeEqual(actual, digest);
}

function malformed(): Refusal {
  return new Refusal(400, "Malformed CAR file");
}
