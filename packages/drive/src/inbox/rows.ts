import { hexToText, isCid, isCount, isKeyText, isShortText, MAX_TEXT, textToHex, trim } from "../fields.ts";
import { isStamp, type ReceivedFacts, type ReceivedState, type Register } from "../state.ts";

// Files of others, as a list or a message has them: an array each.

/** Returns content id, name, size, commitment, chunk profile and media type. */
export function encodeFacts(cid: string, { name, size, commitment, chunkProfile, type }: ReceivedFacts): unknown[] {
  const proof = commitment === undefined ? null : hexToText(commitment);
  return trim([cid, name, size ?? null, proof, chunkProfile ?? null, type ?? null]);
}

/** Returns `undefined` for anything but what {@link encodeFacts} returned. */
export function parseFacts(row: unknown): [cid: string, facts: ReceivedFacts] | undefined {
  if (!Array.isArray(row)) return undefined;
  const [cid, name, size = null, proof = null, chunkProfile = null, type = null] = row as unknown[];
  if (!isCid(cid) || typeof name !== "string" || name.length > MAX_TEXT) return undefined;
  if (size !== null && !isCount(size)) return undefined;
  if ((proof !== null && !isKeyText(proof)) || !isShortText(chunkProfile) || !isShortText(type)) return undefined;
  return [
    cid,
    {
      name,
      ...(size !== null && { size }),
      ...(proof !== null && { commitment: textToHex(proof) }),
      ...(chunkProfile !== null && { chunkProfile }),
      ...(type !== null && { type }),
    },
  ];
}

/** Returns the facts, their stamp and their sender, then key and removal, each with its stamp. */
export function encodeReceived(cid: string, { file, key, removed }: ReceivedState): unknown[] {
  const [facts, stamp] = file;
  return trim([
    encodeFacts(cid, facts),
    stamp,
    facts.from ?? null,
    key ? [hexToText(key[0]), key[1]] : null,
    removed ? [removed[0] ? 1 : 0, removed[1]] : null,
  ]);
}

/** Returns `undefined` for anything but what {@link encodeReceived} returned. */
export function parseReceived(row: unknown): [cid: string, item: ReceivedState] | undefined {
  if (!Array.isArray(row)) return undefined;
  const [fields, stamp, from = null, key = null, removed = null] = row as unknown[];
  const facts = parseFacts(fields);
  if (!facts || !isStamp(stamp) || !isShortText(from)) return undefined;
  if (key !== null && !isRegisterOf(key, isKeyText)) return undefined;
  if (removed !== null && !isRegisterOf(removed, isFlag)) return undefined;
  return [
    facts[0],
    {
      file: [{ ...facts[1], ...(from !== null && { from }) }, stamp],
      ...(key !== null && { key: [textToHex(key[0]), key[1]] }),
      ...(removed !== null && { removed: [removed[0] === 1, removed[1]] }),
    },
  ];
}

const isFlag = (value: unknown): value is 0 | 1 => value === 0 || value === 1;

function isRegisterOf<Value>(value: unknown, isValue: (value: unknown) => value is Value): value is Register<Value> {
  return Array.isArray(value) && value.length === 2 && isValue(value[0]) && isStamp(value[1]);
}
