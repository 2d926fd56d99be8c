import { type OwnerOptions, ownerOptionNames } from "../kavach/auth/owner.ts";
import { type KeyNodeOptions, keyNodeOptionNames } from "../kavach/nodes/node-client.ts";
import { type BearerOptions, bearerOptionNames, type Optional } from "../options.ts";
import { type RecoveryOptions, recoveryNames } from "../recovery-file/recorder-options.ts";
import type { OnProgress } from "../transfer/progress.ts";
import type { Source } from "../transfer/upload/source.ts";
import type { UploadAccess } from "../transfer/upload/upload-access.ts";
import type { SigningOptions } from "../validation/sign-in-message.ts";

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

export const resumeOperationNames = [
  bearerOptionNames,
  keyNodeOptionNames,
  ownerOptionNames,
  recoveryNames,
  "source,cids,via,onProgress",
] as const;
