import { copyInput } from "../base/copy-input.ts";
import { checkOptions } from "../validation/check-options.ts";
import type { RecoveryIdentity } from "./identity.ts";
import type { RecoveryPages, RecoveryPagesOptions } from "./pages-options.ts";

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
  const { formatPages } = await import("./on-demand.ts");
  return formatPages(identity, options);
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
  const { recipient } = checkOptions(options, "recipient");
  parts = copyInput(parts, "parts");
  const { readPages } = await import("./on-demand.ts");
  return readPages(typeof parts === "string" ? [parts] : parts, recipient);
}
