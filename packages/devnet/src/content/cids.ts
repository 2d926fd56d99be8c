import { base16, base16upper } from "multiformats/bases/base16";
import { base32, base32upper } from "multiformats/bases/base32";
import { base58btc } from "multiformats/bases/base58";
import { CID } from "multiformats/cid";

const bases = base58btc.decoder.or(base32.decoder).or(base32upper.decoder).or(base16.decoder).or(base16upper.decoder);

/** Parses a content id of any version and base; `undefined` if `text` is none. */
export function parseCid(text: string): CID | undefined {
  try {
    // version 0 has no base prefix; the parser detects it
    return text.startsWith("Qm") ? CID.parse(text) : CID.parse(text, bases);
  } catch {
    return undefined;
  }
}

/**
 * Returns the key under which content is stored: the content id in version 1 and base 32, regardless of the version and
 * base of `text`. `undefined` if `text` is not a content id.
 */
export function toContentKey(text: string): string | undefined {
  return parseCid(text)?.toV1().toString();
}
