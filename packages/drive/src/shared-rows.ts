import { hexToText, isCid, isCount, isKeyText, isShortText, MAX_TEXT, textToHex, trim } from "./fields.ts";
import { MAX_LINK } from "./links/link-format.ts";
import { isStamp, type SharedFacts, type SharedState } from "./state.ts";

// What is shared, as a list or a message has it: an array each.

/** Identifies what one sender says of a file, or one link: who has a link can sign messages by its account, too. */
export function toSharedId({ cid, from, commitment = "", linkId }: SharedFacts): string {
  return `${cid} ${linkId ?? (from === undefined ? commitment : `from ${from}`)}`;
}

/** Returns content id, name, size, commitment, chunk profile and media type. */
export function encodeFacts({ cid, name, size, commitment, chunkProfile, type }: SharedFacts): unknown[] {
  const proof = commitment === undefined ? null : hexToText(commitment);
  return trim([cid, name, size ?? null, proof, chunkProfile ?? null, type ?? null]);
}

/** Returns `undefined` for anything but what {@link encodeFacts} returned. */
export function parseFacts(row: unknown): SharedFacts | undefined {
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

/**
 * Returns the facts, their stamp, sender, time of sending and key, whether it was removed, with a stamp; link, its address and
 * its end.
 */
export function encodeShared({ file, removed }: SharedState): unknown[] {
  const [facts, stamp] = file;
  const { from = null, sentAt = null, key, link = null, linkId = null, endsAt = null } = facts;
  const secret = key === undefined ? null : hexToText(key);
  const removal = removed ? [removed[0] ? 1 : 0, removed[1]] : null;
  return trim([encodeFacts(facts), stamp, from, sentAt, secret, removal, link, linkId, endsAt]);
}

/** Returns `undefined` for anything but what {@link encodeShared} returned. */
export function parseShared(row: unknown): [id: string, item: SharedState] | undefined {
  if (!Array.isArray(row)) return undefined;
  const [fields, stamp, from = null, sentAt = null, key = null, removed = null, ...own] = row as unknown[];
  const [link = null, linkId = null, endsAt = null] = own;
  const facts = parseFacts(fields);
  if (!facts || !isStamp(stamp) || !isShortText(from)) return undefined;
  if ((sentAt !== null && !isCount(sentAt)) || (key !== null && !isKeyText(key))) return undefined;
  const isRemoval = Array.isArray(removed) && [0, 1].includes(removed[0]) && isStamp(removed[1]);
  if (removed !== null && !isRemoval) return undefined;
  const isLink = typeof link === "string" && link.length <= MAX_LINK && typeof linkId === "string";
  if (link !== null ? !isLink : linkId !== null) return undefined;
  if (endsAt !== null && !isCount(endsAt)) return undefined;
  const file: SharedFacts = {
    ...facts,
    ...(from !== null && { from }),
    ...(sentAt !== null && { sentAt }),
    ...(key !== null && { key: textToHex(key) }),
    ...(isLink && { link }),
    ...(isLink && { linkId }),
    ...(endsAt !== null && { endsAt }),
  };
  const item: SharedState = { file: [file, stamp], ...(isRemoval && { removed: [removed[0] === 1, removed[1]] }) };
  return [toSharedId(file), item];
}
