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
