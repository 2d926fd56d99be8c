import { type OptionSchema, optional, valueThat } from "../../base/operation.ts";

/**
 * Stores one encrypted message of a recovery kit durably: it resolves once the message cannot be lost any more.
 *
 * @param message - an age file, to be kept as it is
 * @param name - a unique file name, `2026-01-31T12-00-00-000Z-….age`
 */
export type StoreRecovery = (message: Uint8Array<ArrayBuffer>, name: string) => Promise<unknown>;

/** Adds the keys of encrypted uploads to a recovery kit; no secret is needed for that. One requires the other. */
export type RecoveryOptions =
  | {
      /** Add the key of each encrypted file to a recovery kit, for these age recipients (`age1…`, of X25519). @default none */
      recovery: string | readonly string[];
      /**
       * Where the kit is: in Node an existing folder, in which one file appears for each upload, whole or not at all, so
       * that several processes may add to it at once; anywhere a function that stores the message.
       *
       * @default none; `recovery` requires it
       */
      recoveryTo: string | URL | StoreRecovery;
    }
  | {
      /** The keys are added to no kit. */
      recovery?: undefined;
      /** Nor is one anywhere. */
      recoveryTo?: undefined;
    };

/** Who can open a kit. Whether they are age recipients shows when age is loaded. */
export const recoveryRecipients = valueThat<string | readonly string[]>(
  (value) => typeof value === "string" || Array.isArray(value),
  "age recipients (age1…, of X25519)",
);

/** Where a kit is. */
export const recoveryTarget = valueThat<string | URL | StoreRecovery>(
  (value) => (typeof value === "string" && value !== "") || value instanceof URL || typeof value === "function",
  "a folder, a file: URL of one, or a function",
);

/** Checks {@link RecoveryOptions}, except that one requires the other. */
export const recoverySchema = {
  recovery: optional(recoveryRecipients),
  recoveryTo: optional(recoveryTarget),
} satisfies OptionSchema<RecoveryOptions>;
