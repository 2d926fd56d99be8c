import { callback, unchecked } from "../../base/checks.ts";
import type { OptionSchema, Resolved } from "../../base/operation.ts";
import { type BearerOptions, checkEndpoints, type Optional } from "../../base/options.ts";
import type { SigningOptions } from "../../base/validation/sign-in-message.ts";
import type { RecoveryOptions } from "../../formats/recovery-file/recorder-options.ts";
import type { OwnerOptions } from "../../keys/auth/owner.ts";
import type { KeyNodeOptions } from "../../keys/nodes/node-client.ts";
import { ownerCallSchema } from "../../keys/nodes/owner-call.ts";
import type { OnProgress } from "../progress.ts";
import type { Source } from "../upload/source.ts";
import type { UploadAccess } from "../upload/upload-access.ts";

/** A download as it is stored requires no account, and a decryption only if it was started with one. */
type NoOwner = SigningOptions & { signer?: undefined; address?: undefined; authToken?: undefined };

/** Options of resuming an operation of a journal. What the operation is to do cannot be changed. */
export type ResumeOperationOptions = Optional<BearerOptions> &
  KeyNodeOptions &
  (OwnerOptions | NoOwner) &
  Optional<RecoveryOptions> & {
    /**
     * The files of an upload again, if they have to be sent again and were not read from a path, such as streams, or
     * the files that were picked in a page. Their names and sizes must be the same, and the `lastModified` of a `File`.
     *
     * @default the upload's own paths
     */
    source?: Source | undefined;
    /**
     * The content id of each file of an upload, by its name, if the upload node's response is not trusted.
     *
     * @default those of the upload node's response
     */
    cids?: Readonly<Record<string, string>> | undefined;
    /**
     * Sends the files of an upload through an endpoint of one's own server instead of with an API key.
     *
     * @default none
     */
    via?: UploadAccess["via"];
    /** Receives how far an upload or a download is. @default none */
    onProgress?: OnProgress | undefined;
  };

/** Checks {@link ResumeOperationOptions}; what only uploads use is checked by them. */
export const resumeSchema = {
  ...ownerCallSchema,
  endpoints: checkEndpoints,
  apiKey: unchecked<string>(),
  recovery: unchecked<RecoveryOptions["recovery"]>(),
  recoveryTo: unchecked<RecoveryOptions["recoveryTo"]>(),
  source: unchecked<Source>(),
  cids: unchecked<Readonly<Record<string, string>>>(),
  via: unchecked<UploadAccess["via"]>(),
  onProgress: callback<OnProgress>(),
} satisfies OptionSchema<ResumeOperationOptions>;

/** The options that an operation is resumed with: those that were passed, checked. */
export type ResumingOptions = Partial<Resolved<typeof resumeSchema>>;

/**
 * Changes some of the options that a journal has stored. A change that is `undefined` leaves what was stored, and so does
 * an endpoint that is not named: no part of an operation moves to another network unasked.
 */
export function mergeStoredOptions(stored: { endpoints?: unknown }, changed: { endpoints?: unknown }): object {
  const changes = Object.entries(changed).filter(([, value]) => value !== undefined);
  const endpoints = { ...Object(stored.endpoints), ...Object(changed.endpoints) };
  return { ...stored, ...Object.fromEntries(changes), endpoints };
}
