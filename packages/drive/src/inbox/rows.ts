import { hexToText, isCid, isCount, isKeyText, isShortText, MAX_TEXT, textToHex, trim } from "../fields.ts";
import { isStamp, type ReceivedFacts, type ReceivedState, toReceivedId } from "../state.ts";

// Files of others, as a list or a message has them: an array each.

/** Returns content id, name, size, commitment, chunk profile and media type. */
export function encodeFacts({ cid, name, size, commitment, chunkProfile, type }: ReceivedFacts): unknown[] {
  const proof = commitment === undefined ? null : hexToText(commitment);
  return trim([cid, name, size ?? null, proof, chunkProfile ?? null, type ?? null]);
}

/** Returns `undefined` for anything but what {@link encodeFacts} returned. */
export function parseFacts(row: unknown): ReceivedFacts | undefined {
  if (!Array.isArray(row)) return undefined;
  const [cid, name, size = null, proof = null, chunkProfile = null, type = null] = row as unknown[];
  if (!isCid(cid) || typeof name !== "string" || name.length > MAX_TEXT) return undefined;
  if (size !== null && !isCount(size)) return undefined;
  if ((proof !== null && !isKeyText(proof)) || !isShortText(chunkProfile) || !isShortText(type)) return undefined;
  return {
    cid,
    name,
    ...(size !== null && { size }),
    ...(proof !== null && { commitment: textToHex(proof) }),
    ...(chunkProfile !== null && { chunkProfile }),
    ...(type !== null && { type }),
  };
}

/** Returns the facts, their stamp, sender, time of sending and key, and whether it was removed, with a stamp. */
export function encodeReceived({ file, removed }: ReceivedState): unknown[] {
  const [facts, stamp] = file;
  const { from = null, sentAt = null, key } = facts;
  const secret = key === undefined ? null : hexToText(key);
  return trim([encodeFacts(facts), stamp, from, sentAt, secret, removed ? [removed[0] ? 1 : 0, removed[1]] : null]);
}

/** Returns `undefined` for anything but what {@link encodeReceived} returned. */
export function parseReceived(row: unknown): [id: string, item: ReceivedState] | undefined {
  if (!Array.isArray(row)) return undefined;
  const [fields, stamp, from = null, sentAt = null, key = null, removed = null] = row as unknown[];
  const facts = parseFacts(fields);
  if (!facts || !isStamp(stamp) || !isShortText(from)) return undefined;
  if ((sentAt !== null && !isCount(sentAt)) || (key !== null && !isKeyText(key))) return undefined;
  const isRemoval = Array.isArray(removed) && [0, 1].includes(removed[0]) && isStamp(removed[1]);
  if (removed !== null && !isRemoval) return undefined;
  const file: ReceivedFacts = {
    ...facts,
    ...(from !== null && { from }),
    ...(sentAt !== null && { sentAt }),
    ...(key !== null && { key: textToHex(key) }),
  };
  const item: ReceivedState = { file: [file, stamp], ...(isRemoval && { removed: [removed[0] === 1, removed[1]] }) };
  return [toReceivedId(file), item];
}
