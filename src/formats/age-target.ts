// Apart from what encrypts: the types of age-encryption need those of a page, which a Node program may not have.

/** Who can decrypt an age file: recipients (`age1…`), or everyone who knows a passphrase. */
export type AgeTarget = { recipients: readonly string[] } | { passphrase: string };

/** What decrypts an age file: an identity (`AGE-SECRET-KEY-1…`) or a passphrase. */
export type AgeSecret = { identity: string } | { passphrase: string };
