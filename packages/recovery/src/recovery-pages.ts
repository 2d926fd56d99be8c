import { KeeplightError, kavachRecoverKey, kavachShardKey, type RecoveryIdentity } from "keeplight";
import {
  copyInput,
  invalidOption,
  loadAge,
  type OptionSchema,
  resolveOptions,
  unchecked,
  wholeNumber,
} from "keeplight/parts";

const PART = /^KEEPLIGHT-PART-(\d{1,2})-(\d{1,3})[-\s]+(.+)$/is;

/** Result of {@link makeRecoveryPages}. The pages are secrets. */
export interface RecoveryPages {
  /** HTML to print, without scripts: 24 words, the same as a QR code and as text, one page per part. */
  pages: string[];
  /** Plain text to print or keep beside the kit: how to open it with `age` and Python, without this package. */
  howTo: string;
}

/** Options of {@link makeRecoveryPages}. */
export interface RecoveryPagesOptions {
  /** Into how many parts the identity is split, 1 to 16, each on a page of its own. @default 1: it is not split */
  parts?: number | undefined;
  /** How many parts restore the identity, at least 2. @default 2 */
  threshold?: number | undefined;
}

const schema = {
  parts: wholeNumber(1, 1, 16),
  // At most as many as there are parts.
  threshold: unchecked<number>(),
} satisfies OptionSchema<RecoveryPagesOptions>;

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
  const { parts, threshold } = resolveOptions(schema, options);
  const least = Math.min(2, parts);
  const needed = wholeNumber(least, least, parts)(threshold, "threshold");
  const { recipient } = await toRecoveryIdentity(identity);
  const { formatPage, howToOpen: howTo, toHexSecret } = await import("./paper.ts");
  const secret = toHexSecret(identity);
  if (parts === 1) return { pages: [formatPage({ secret, text: identity, recipient, part: undefined })], howTo };
  const { keyShards } = await kavachShardKey(secret, { scheme: "gf256", threshold: needed, keyCount: parts });
  const pages = keyShards.map(({ key, index }, at) => {
    const label = `KEEPLIGHT-PART-${needed}-${Number.parseInt(index, 16)}`;
    const part = { number: at + 1, of: parts, needed, label };
    return formatPage({ secret: key, text: `${label}-${key.toUpperCase()}`, recipient, part });
  });
  return { pages, howTo };
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
  options: {
    /** The recipient as printed on each page (`age1…`). */
    recipient: string;
  },
): Promise<RecoveryIdentity> {
  const { recipient } = resolveOptions({ recipient: unchecked<string>() }, options);
  const given: unknown = copyInput(parts, "parts");
  const texts = [given].flat().map((text) => (typeof text === "string" ? text.trim() : ""));
  const { readSecret, toIdentity } = await import("./paper.ts");
  const [only = ""] = texts;
  const isWhole = texts.length === 1 && !PART.test(only);
  const secret = isWhole ? readSecret(only) : await combine(texts.map((text) => readPart(text, readSecret)));
  if (secret === undefined) throw invalidWords("a word is wrong or missing");
  const restored = await toRecoveryIdentity(toIdentity(secret));
  if (restored.recipient !== recipient) throw invalidWords("it is another one than the recipient's");
  return restored;
}

function readPart(text: string, readSecret: (text: string) => string | undefined) {
  const [, needed = "", place = "", rest = ""] = PART.exec(text) ?? [];
  const key = readSecret(rest);
  const number = Number(place);
  if (key === undefined || number < 1 || number > 255) throw invalidWords("a part is malformed");
  return { needed: Number(needed), key, index: number.toString(16).padStart(2, "0") };
}

async function combine(parts: readonly ReturnType<typeof readPart>[]): Promise<string> {
  const needed = parts[0]?.needed ?? 2;
  const distinct = new Map(parts.map(({ key, index }) => [index, { key, index }]));
  if (needed < 2 || distinct.size < needed) throw invalidWords(`${needed} different parts are needed`);
  return (await kavachRecoverKey([...distinct.values()].slice(0, needed), { threshold: needed })).masterKey;
}

async function toRecoveryIdentity(identity: string) {
  const { toRecipient } = await loadAge();
  const recipient = await toRecipient(identity);
  if (recipient === undefined) throw invalidOption("identity", "an age identity (AGE-SECRET-KEY-1…)");
  return { identity, recipient };
}

/** Says what is wrong with words or parts without showing them. */
const invalidWords = (problem: string) => new KeeplightError("INVALID_KEY", `Not a recovery identity: ${problem}`);
