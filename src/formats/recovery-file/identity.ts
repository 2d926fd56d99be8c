import { loadAge } from "../load-age.ts";

/** Opens recovery kits, and journals that have a slot for it. */
export interface RecoveryIdentity {
  /** `AGE-SECRET-KEY-1…`: opens what is made for the recipient. A secret. */
  identity: string;
  /** `age1…`: adds to kits, and opens none. */
  recipient: string;
}

/**
 * Creates a random age identity (X25519), as `age-keygen` does. Nothing is stored: print it with
 * `makeRecoveryPages` of `@keeplight/recovery`.
 *
 * @example
 * const { identity, recipient } = await createRecoveryIdentity();
 */
export async function createRecoveryIdentity(): Promise<RecoveryIdentity> {
  const { generateIdentity, toRecipient } = await loadAge();
  const identity = await generateIdentity();
  return { identity, recipient: (await toRecipient(identity)) ?? "" };
}
