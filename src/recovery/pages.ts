import { invalidIdentity, invalidRecoveryWords } from "../errors/recovery.ts";
import { gf256 } from "../kavach/shards/gf256.ts";
import type { KeyShard } from "../kavach/shards/sharing.ts";
import { checkOptions } from "../validation/check-options.ts";
import { wholeNumber } from "../validation/number.ts";
import type { RecoveryIdentity } from "./identity.ts";

/** Options of {@link makeRecoveryPages}. */
export interface RecoveryPagesOptions {
  /** Into how many parts the identity is split, 1 to 16, each on a page of its own. Default 1: it is not split. */
  parts?: number | undefined;
  /** How many parts restore the identity, at least 2. Default 2. */
  threshold?: number | undefined;
}

/** Result of {@link makeRecoveryPages}. The pages are secrets. */
export interface RecoveryPages {
  /** HTML to print, without scripts: 24 words, the same as a QR code and as text, one page per part. */
  pages: string[];
  /** Plain text to print or keep beside the kit: how to open it with `age` and Python, without this package. */
  howTo: string;
}

const MAX_PARTS = 16;
const PART = /^KEEPLIGHT-PART-(\d{1,2})-(\d{1,3})[-\s]+(.+)$/is;

/**
 * Makes the pages to print for a recovery identity, whole or split by Shamir's scheme over GF(2^8). Each page has its 32
 * bytes as 24 words (BIP 39, English) and as a QR code.
 *
 * @throws `INVALID_OPTION`
 *
 * @example
 * const { pages, howTo } = await makeRecoveryPages(identity, { parts: 3 });
 */
export async function makeRecoveryPages(identity: string, options: RecoveryPagesOptions = {}): Promise<RecoveryPages> {
  options = checkOptions(options, "parts,threshold");
  const of = wholeNumber("parts", options.parts, 1, 1, MAX_PARTS);
  const needed = wholeNumber("threshold", options.threshold, Math.min(2, of), Math.min(2, of), of);
  const { recipient } = await toRecoveryIdentity(identity);
  const { formatPage, howToOpen, toHexSecret } = await import("./paper.ts");
  const secret = toHexSecret(identity);
  if (of === 1)
    return { pages: [formatPage({ secret, text: identity, recipient, part: undefined })], howTo: howToOpen };
  const shards = await gf256.split(secret, needed, of);
  const pages = shards.map(({ key, index }, at) => {
    const label = `KEEPLIGHT-PART-${needed}-${Number.parseInt(index, 16)}`;
    const part = { number: at + 1, of, needed, label };
    return formatPage({ secret: key, text: `${label}-${key.toUpperCase()}`, recipient, part });
  });
  return { pages, howTo: howToOpen };
}

/**
 * Restores a recovery identity from what {@link makeRecoveryPages} printed: 24 words, or as many parts as are needed, each
 * as the text of its QR code or as its label followed by its 24 words.
 *
 * @param options - `recipient` as printed on each page: compared with that of the restored identity, since wrong parts
 * yield another identity and no error
 * @throws `INVALID_KEY` for wrong words or too few or wrong parts; the error contains none of them
 */
export async function restoreRecoveryIdentity(
  parts: string | readonly string[],
  options: { recipient: string },
): Promise<RecoveryIdentity> {
  const { recipient } = checkOptions(options, "recipient");
  const list: unknown[] = typeof parts === "string" ? [parts] : Array.isArray(parts) ? parts : [];
  const texts = list.map((text) => (typeof text === "string" ? text.trim() : ""));
  const { readSecret, toIdentity } = await import("./paper.ts");
  const [only = ""] = texts;
  const isWhole = texts.length === 1 && !PART.test(only);
  const secret = isWhole ? readSecret(only) : await combine(texts.map((text) => readPart(text, readSecret)));
  if (secret === undefined) throw invalidRecoveryWords("a word is wrong or missing");
  const restored = await toRecoveryIdentity(toIdentity(secret));
  if (restored.recipient !== recipient) throw invalidRecoveryWords("it is another one than the recipient's");
  return restored;
}

interface Part {
  needed: number;
  shard: KeyShard;
}

function readPart(text: string, readSecret: (text: string) => string | undefined): Part {
  const [, needed = "", place = "", rest = ""] = PART.exec(text) ?? [];
  const key = readSecret(rest);
  const number = Number(place);
  if (key === undefined || number < 1 || number > 255) throw invalidRecoveryWords("a part is malformed");
  return { needed: Number(needed), shard: { key, index: number.toString(16).padStart(2, "0") } };
}

async function combine(parts: readonly Part[]): Promise<string> {
  const needed = parts[0]?.needed ?? 2;
  const distinct = new Map(parts.map(({ shard }) => [shard.index, shard]));
  if (needed < 2 || distinct.size < needed) throw invalidRecoveryWords(`${needed} different parts are needed`);
  return gf256.combine([...distinct.values()]);
}

async function toRecoveryIdentity(identity: string): Promise<RecoveryIdentity> {
  const { toRecipient } = await import("../age/age.ts");
  const recipient = await toRecipient(identity);
  if (recipient === undefined) throw invalidIdentity();
  return { identity, recipient };
}
