import { createApiKey, getAuthMessage } from "./account/api-key.ts";
import { changedOptions } from "./kavach/all-nodes.ts";
import { kavachGetAuthMessage, kavachGetJwt, kavachRefreshJwt } from "./kavach/auth.ts";
import type { KeyNodeOptions } from "./kavach/node-client.ts";
import type { OwnerOptions } from "./kavach/owner.ts";
import { kavachRecoverShards } from "./kavach/recover-shards.ts";
import { kavachRevoke } from "./kavach/revoke.ts";
import { kavachSaveShards } from "./kavach/save-shards.ts";
import { kavachShare } from "./kavach/share.ts";
import type { BearerOptions } from "./options.ts";
import { decrypt } from "./storage/decrypt.ts";
import { download } from "./storage/download.ts";
import { upload, uploadBuffer, uploadText } from "./storage/upload.ts";
import { uploadEncrypted, uploadTextEncrypted } from "./storage/upload-encrypted.ts";

/** Calls whose first argument is what they act on. */
const onSubject = {
  decrypt,
  download,
  getAuthMessage,
  kavachGetAuthMessage,
  kavachGetJwt,
  kavachRecoverShards,
  kavachRefreshJwt,
  kavachRevoke,
  kavachSaveShards,
  kavachShare,
  upload,
  uploadBuffer,
  uploadEncrypted,
  uploadText,
  uploadTextEncrypted,
};

/** Calls that take options only. */
const withoutSubject = { createApiKey };

type OnSubject = (subject: never, options: object) => unknown;

/** Options to bind; see {@link createKit}. */
export type KitDefaults = BearerOptions & KeyNodeOptions & OwnerOptions;

/** The kit's functions that reach the network, with defaults bound. */
export type Kit = Readonly<typeof onSubject & typeof withoutSubject>;

/**
 * The same functions with these options as their defaults. What a call gives itself goes first; an owner
 * (`signer`, or `address` and `authToken`) is replaced as a whole.
 *
 * @example
 * const kit = createKit({ apiKey, signer });
 * const [file] = await kit.uploadEncrypted("./secret.pdf");
 */
export function createKit(defaults: KitDefaults = {}): Kit {
  const merge = (options: object = {}) => changedOptions(defaults, options);
  const bound = Object.fromEntries([
    ...Object.entries(onSubject).map(([name, call]) => [
      name,
      (subject: never, options?: object) => (call as OnSubject)(subject, merge(options)),
    ]),
    ...Object.entries(withoutSubject).map(([name, call]) => [
      name,
      (options?: object) => call(merge(options) as never),
    ]),
  ]);
  return Object.freeze(bound) as Kit;
}
