import { CarReader } from "@ipld/car";
import { exporter } from "ipfs-unixfs-exporter";
import type { CID } from "multiformats/cid";
import { identity } from "multiformats/hashes/identity";
import { sha256, sha512 } from "multiformats/hashes/sha2";

/** Fetches a block from a gateway. */
export async function fetchBlock(gateway: string, cid: CID | string): Promise<Uint8Array> {
  const response = await fetch(`${gateway}/ipfs/${cid}?format=raw`);
  if (response.status !== 200) throw new Error(`status ${response.status} for ${cid}`);
  return new Uint8Array(await response.arrayBuffer());
}

/** Reads a file or part of it with the exporter, from blocks that are fetched one by one. */
export async function exportByBlocks(
  gateway: string,
  path: string,
  range: { offset?: number; length?: number } = {},
): Promise<Buffer> {
  return exportFrom((cid) => fetchBlock(gateway, cid), path, range);
}

/** Reads a file or part of it with the exporter, from an archive. */
export async function exportFromCar(
  car: readonly CarBlock[],
  path: string,
  range: { offset?: number; length?: number } = {},
): Promise<Buffer> {
  const blocks = new Map(car.map(({ cid, bytes }) => [toKey(cid), bytes]));
  return exportFrom(
    async (cid) => {
      const bytes = blocks.get(toKey(cid));
      if (!bytes) throw new Error(`the archive lacks ${cid}`);
      return bytes;
    },
    path,
    range,
  );
}

async function exportFrom(
  get: (cid: CID) => Promise<Uint8Array>,
  path: string,
  range: { offset?: number; length?: number },
): Promise<Buffer> {
  const blockstore = {
    async *get(cid: CID) {
      const bytes = await get(cid);
      await verifyBlock({ cid, bytes });
      yield bytes;
    },
  };
  const entry = await exporter(path, blockstore);
  if (entry.type !== "file" && entry.type !== "raw") throw new Error(`a ${entry.type}`);
  const chunks: Uint8Array[] = [];
  for await (const chunk of entry.content(range) as AsyncIterable<Uint8Array>) chunks.push(chunk);
  return Buffer.concat(chunks);
}

/** A block of an archive. */
export interface CarBlock {
  cid: CID;
  bytes: Uint8Array;
}

/** Fetches an archive and verifies each of its blocks. */
export async function fetchCar(gateway: string, pathAndQuery: string): Promise<CarBlock[]> {
  const separator = pathAndQuery.includes("?") ? "&" : "?";
  const response = await fetch(`${gateway}/ipfs/${pathAndQuery}${separator}format=car`);
  if (response.status !== 200) throw new Error(`status ${response.status}`);
  const reader = await CarReader.fromBytes(new Uint8Array(await response.arrayBuffer()));
  const blocks: CarBlock[] = [];
  for await (const block of reader.blocks()) {
    await verifyBlock(block);
    blocks.push(block);
  }
  return blocks;
}

async function verifyBlock({ cid, bytes }: CarBlock): Promise<void> {
  const hasher = [sha256, sha512, identity].find(({ code }) => code === cid.multihash.code);
  const digest = await hasher?.digest(bytes);
  if (!digest || !Buffer.from(digest.bytes).equals(cid.multihash.bytes)) throw new Error(`${cid} has other bytes`);
}

function toKey(cid: CID): string {
  return Buffer.from(cid.multihash.bytes).toString("base64");
}
