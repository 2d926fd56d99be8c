import { encode } from "@ipld/dag-cbor";
import { varint } from "multiformats";
import type { CID } from "multiformats/cid";

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

function encodeVarint(value: number): Uint8Array {
  return varint.encodeTo(value, new Uint8Array(varint.encodingLength(value)));
}
