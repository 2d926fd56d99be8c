import { invalidCid } from "../errors/input.ts";

/** Version 0 (base58btc multihash), then version 1 in base32 (either case), base58btc and base16 (either case). */
const FORMS = [
  /^Qm[1-9A-HJ-NP-Za-km-z]{44}$/,
  /^b[a-z2-7]{58,}$/,
  /^B[A-Z2-7]{58,}$/,
  /^z[1-9A-HJ-NP-Za-km-z]{48,}$/,
  /^f[0-9a-f]{50,}$/,
  /^F[0-9A-F]{50,}$/,
];

/** Gives the content id back, or throws `INVALID_CID`. Text around an id is refused. */
export function checkCid(cid: unknown): string {
  if (typeof cid !== "string" || !FORMS.some((form) => form.test(cid))) throw invalidCid();
  return cid;
}
