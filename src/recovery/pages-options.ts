/** Options of `makeRecoveryPages`. */
export interface RecoveryPagesOptions {
  /** Into how many parts the identity is split, 1 to 16, each on a page of its own. @default 1: it is not split */
  parts?: number | undefined;
  /** How many parts restore the identity, at least 2. @default 2 */
  threshold?: number | undefined;
}

/** Result of `makeRecoveryPages`. The pages are secrets. */
export interface RecoveryPages {
  /** HTML to print, without scripts: 24 words, the same as a QR code and as text, one page per part. */
  pages: string[];
  /** Plain text to print or keep beside the kit: how to open it with `age` and Python, without this package. */
  howTo: string;
}
