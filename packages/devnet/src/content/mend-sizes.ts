import { UnixFS } from "ipfs-unixfs";
import { varint } from "multiformats";

/** Fields of UnixFS's protobuf message, each with its wire type, and the value of the first for a file. */
const TYPE = 0x08;
const FILE = 2;
const DATA = 0x12;
const FILE_SIZE = 0x18;
const BLOCK_SIZE = 0x20;

let isMended = false;

/**
 * Makes `ipfs-unixfs` encode all sizes: its version 13.1.1 writes sizes from 2 GiB to 4 GiB as whatever its memory
 * contains, so that files of these sizes have random content ids.
 */
export function mendSizes(): void {
  if (isMended) return;
  isMended = true;
  const { marshal } = UnixFS.prototype;
  UnixFS.prototype.marshal = function (this: UnixFS) {
    const sizes = [this.fileSize() ?? 0n, ...this.blockSizes];
    return this.type === "file" && sizes.some(isMisencoded) ? encodeFile(this) : marshal.call(this);
  };
}

function isMisencoded(size: bigint): boolean {
  return size >= 2n ** 31n && size < 2n ** 32n;
}

function encodeFile(file: UnixFS): Uint8Array<ArrayBuffer> {
  const { data, blockSizes } = file;
  const parts: Uint8Array[] = [Uint8Array.of(TYPE, FILE)];
  if (data && data.length > 0) parts.push(Uint8Array.of(DATA), encodeVarint(data.length), data);
  parts.push(Uint8Array.of(FILE_SIZE), encodeVarint(Number(file.fileSize())));
  for (const size of blockSizes) parts.push(Uint8Array.of(BLOCK_SIZE), encodeVarint(Number(size)));
  return new Uint8Array(Buffer.concat(parts));
}

function encodeVarint(value: number): Uint8Array {
  return varint.encodeTo(value, new Uint8Array(varint.encodingLength(value)));
}
