import { invalidIdentity, invalidRecoveryWords } from "../../base/errors/verification.ts";
import { gf256 } from "../../keys/shards/schemes.ts";

const PART = /^KEEPLIGHT-PART-(\d{1,2})-(\d{1,3})[-\s]+(.+)$/is;

/** Result of {@link makeRecoveryPages}. The pages are secrets. */
export interface RecoveryPages {
  /** HTML to print, without scripts: 24 words, the same as a QR code and as text, one page per part. */
  pages: string[];
  /** Plain text to print or keep beside the kit: how to open it with `age` and Python, without this package. */
  howTo: string;
}

export async function formatPages(identity: string, of: number, needed: number): Promise<RecoveryPages> {
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

export async function readPages(parts: readonly unknown[], recipient: string | undefined) {
  const texts = (Array.isArray(parts) ? parts : []).map((text) => (typeof text === "string" ? text.trim() : ""));
  const { readSecret, toIdentity } = await import("./paper.ts");
  const [only = ""] = texts;
  const isWhole = texts.length === 1 && !PART.test(only);
  const secret = isWhole ? readSecret(only) : await combine(texts.map((text) => readPart(text, readSecret)));
  if (secret === undefined) throw invalidRecoveryWords("a word is wrong or missing");
  const restored = await toRecoveryIdentity(toIdentity(secret));
  if (restored.recipient !== recipient) throw invalidRecoveryWords("it is another one than the recipient's");
  return restored;
}

function readPart(text: string, readSecret: (text: string) => string | undefined) {
  const [, needed = "", place = "", rest = ""] = PART.exec(text) ?? [];
  const key = readSecret(rest);
  const number = Number(place);
  if (key === undefined || number < 1 || number > 255) throw invalidRecoveryWords("a part is malformed");
  return { needed: Number(needed), key, index: number.toString(16).padStart(2, "0") };
}

async function combine(parts: readonly ReturnType<typeof readPart>[]): Promise<string> {
  const needed = parts[0]?.needed ?? 2;
  const distinct = new Map(parts.map(({ key, index }) => [index, { key, index }]));
  if (needed < 2 || distinct.size < needed) throw invalidRecoveryWords(`${needed} different parts are needed`);
  return gf256.combine([...distinct.values()]);
}

async function toRecoveryIdentity(identity: string) {
  const { toRecipient } = await import("../../formats/age.ts");
  const recipient = await toRecipient(identity);
  if (recipient === undefined) throw invalidIdentity();
  return { identity, recipient };
}
