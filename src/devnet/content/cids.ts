import { base16, base16upper } from "multiformats/bases/base16";
import { base32, base32upper } from "multiformats/bases/base32";
import { base58btc } from "multiformats/bases/base58";
import { CID } from "multiformats/cid";

const bases = base58btc.decoder.or(base32.decoder).or(base32upper.decoder).or(base16.decoder).or(base16upper.decoder);

/**
 * The one name under which content is kept: version 1 in base 32, whatever version and base it is asked
 * for in. `undefined` if `text` is no content id.
 */
export function contentKey(text: string): string | undefined {
  try {
    // version 0 has no base prefix, and the parser knows it by itself
    const cid = text.startsWith("Qm") ? CID.parse(text) : CID.parse(text, bases);
    return cid.toV1().toString();
  } catch {
    return undefined;
  }
}
