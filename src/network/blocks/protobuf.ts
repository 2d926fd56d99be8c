import { readVarint } from "./varint.ts";

/** A field of a protobuf message: a number, or bytes. */
export type ProtobufField = { number: number; value: number } | { number: number; bytes: Uint8Array };

const VARINT = 0;
const FIXED_64 = 1;
const BYTES = 2;
const FIXED_32 = 5;

/** Bytes of the types that have a fixed length, which none of the fields read here has. */
const FIXED_BYTES: ReadonlyMap<number, number> = new Map([
  [FIXED_64, 8],
  [FIXED_32, 4],
]);

/** Reads the fields of a protobuf message in order; returns `undefined` if it is malformed. */
export function readProtobuf(message: Uint8Array): ProtobufField[] | undefined {
  const fields: ProtobufField[] = [];
  for (let at = 0; at < message.length; ) {
    const tag = readVarint(message, at);
    if (!tag) return undefined;
    const number = Math.floor(tag.value / 8);
    const type = tag.value % 8;
    const fixed = FIXED_BYTES.get(type);
    if (fixed !== undefined) {
      at = tag.end + fixed;
      if (at > message.length) return undefined;
      continue;
    }
    const head = type === VARINT || type === BYTES ? readVarint(message, tag.end) : undefined;
    if (!head) return undefined;
    if (type === VARINT) {
      fields.push({ number, value: head.value });
      at = head.end;
      continue;
    }
    at = head.end + head.value;
    if (at > message.length) return undefined;
    fields.push({ number, bytes: message.subarray(head.end, at) });
  }
  return fields;
}
