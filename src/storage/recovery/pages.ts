import { copyInput, type OptionSchema, resolveOptions, unchecked, wholeNumber } from "../../base/operation.ts";
import type { RecoveryPages } from "./page-format.ts";

/** Opens recovery kits. */
export interface RecoveryIdentity {
  /** `AGE-SECRET-KEY-1…`: opens every kit that is made for the recipient. A secret. */
  identity: string;
  /** `age1…`: makes kits, and opens none. */
  recipient: string;
}

/**
 * Creates a random age identity (X25519), as `age-keygen` does. Nothing is stored: print it with
 * `makeRecoveryPages`.
 *
 * @example
 * const { identity, recipient } = await createRecoveryIdentity();
 */
export async function createRecoveryIdentity(): Promise<RecoveryIdentity> {
  const { generateIdentity, toRecipient } = await import("../../formats/age.ts");
  const identity = await generateIdentity();
  return { identity, recipient: (await toRecipient(identity)) ?? "" };
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
  const { formatPages } = await import("./lazy.ts");
  return formatPages(identity, parts, needed);
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
  parts = copyInput(parts, "parts");
  const { readPages } = await import("./lazy.ts");
  return readPages(typeof parts === "string" ? [parts] : parts, recipient);
}
