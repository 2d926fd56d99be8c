import { unchecked } from "../base/checks.ts";
import type { OptionSchema } from "../base/operation.ts";

/**
 * Stores one encrypted message of a recovery kit durably: it resolves once the message cannot be lost any more.
 *
 * @param message - an age file, to be kept as it is
 * @param name - a unique file name, `2026-01-31T12-00-00-000Z-….age`
 */
export type StoreRecovery = (message: Uint8Array<ArrayBuffer>, name: string) => Promise<unknown>;

/** Adds the keys of encrypted uploads to a recovery kit; no secret is needed for that. One requires the other. */
export interface RecoveryOptions {
  /** Who can open the kit: age recipients (`age1…`, of X25519). @default none: the keys are added to no kit */
  recovery?: string | readonly string[] | undefined;
  /**
   * Where the kit is: in Node an existing folder, in which one file appears for each upload, whole or not at all, so
   * that several processes may add to it at once; anywhere a function that stores the message.
   *
   * @default none
   */
  recoveryTo?: string | URL | StoreRecovery | undefined;
}

/** Takes {@link RecoveryOptions}, which are checked by what is loaded for them. */
export const recoverySchema = {
  recovery: unchecked<RecoveryOptions["recovery"]>(),
  recoveryTo: unchecked<RecoveryOptions["recoveryTo"]>(),
} satisfies OptionSchema<RecoveryOptions>;

export const recoveryNames = "recovery,recoveryTo";
