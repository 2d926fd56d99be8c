import { invalidCid } from "../../base/errors/input.ts";
import { toBlockId } from "./content-id.ts";
import { fromMultibase } from "./multibase.ts";

/**
 * The forms that clients of the network accept: version 0 (base58btc), and version 1 in base32, base58btc and
 * base16 at these lengths. Case does not matter in base32 and base16.
 */
const USUAL_FORMS = /^(Qm[1-9A-HJ-NP-Za-km-z]{44}|[bB][a-zA-Z2-7]{58}|z[1-9A-HJ-NP-Za-km-z]{48}|[fF][0-9a-fA-F]{50})$/;

/** Ids of version 1 at any other length: longer hashes, base16 in full. Their bytes are checked, too. */
const OTHER_LENGTHS = /^([bB][a-zA-Z2-7]{58,}|z[1-9A-HJ-NP-Za-km-z]{48,}|[fF][0-9a-fA-F]{50,})$/;

/** Twice what the longest hash in use needs; base58 takes time that grows with the square of the length. */
const MAX_CHARACTERS = 512;

/**
 * Returns the content id as the network encodes it, base32 and base16 in lower case, or throws `INVALID_CID`, whose
 * details name it. Extra characters are refused even if they could be digits of a longer id: a version 1 id states the
 * length of its hash (the CID and multihash specifications).
 */
export function checkCid(cid: unknown): string {
  if (typeof cid !== "string" || cid.length > MAX_CHARACTERS) throw invalidCid(cid);
  if (USUAL_FORMS.test(cid)) return toLowerCase(cid);
  const bytes = OTHER_LENGTHS.test(cid) ? fromMultibase(cid)?.bytes : undefined;
  if (!bytes || !isVersion1(bytes)) throw invalidCid(cid);
  return toLowerCase(cid);
}

/** Whether two ids name the same content: in any version and base. */
export function isSameCid(one: string, other: string): boolean {
  const [first, second] = [fromMultibase(one)?.bytes, fromMultibase(other)?.bytes];
  return first !== undefined && second !== undefined && toBlockId(first) === toBlockId(second);
}

/** Services compare ids as strings, and would not find one in upper case. */
function toLowerCase(cid: string): string {
  return /^[bBfF]/.test(cid) ? cid.toLowerCase() : cid;
}

/** Version 1, codec, hash function, hash length, and that many bytes of hash. */
function isVersion1(bytes: Uint8Array): boolean {
  let at = 0;
  /** Reads an unsigned varint of the multiformats: at most 9 bytes, in its shortest form; NaN if it is not one. */
  function readVarint(): number {
    let value = 0;
    for (let size = 1; size <= 9; size++) {
      const byte = bytes[at++] ?? Number.NaN;
      value += (byte % 128) * 128 ** (size - 1);
      if (byte < 128) return byte === 0 && size > 1 ? Number.NaN : value;
    }
    return Number.NaN;
  }
  const [version = 0, codec = 0, hash = 0, length = 0] = [readVarint(), readVarint(), readVarint(), readVarint()];
  return version === 1 && !Number.isNaN(codec + hash) && length === bytes.length - at;
}
