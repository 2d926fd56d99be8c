import { type BearerOptions, iterateFiles } from "keeplight";
import {
  bearerSchema,
  callSchema,
  isKnown,
  normalizeCid,
  pickOptions,
  type Resolved,
  type uploadEncryptedSchema,
  wait,
} from "keeplight/parts";

/** Pauses before the account is listed again while others may have the folder, in milliseconds: listings lag behind. */
const LISTED_MS = [1_000, 2_000, 4_000, 8_000];

/** More than any account has. */
const ALL_ROWS = Number.MAX_SAFE_INTEGER;

/**
 * Finds a folder that this account has stored. That the network knows its content id is not enough: another account may have
 * stored the same files, and delete them at any time.
 *
 * @param roots - the content ids that it may have
 * @returns the one of them that the account lists; `undefined` if there is none
 */
export async function findOwnFolder(
  roots: readonly string[],
  upload: Resolved<typeof uploadEncryptedSchema>,
  signal: AbortSignal,
): Promise<string | undefined> {
  const call = { ...pickOptions(upload, callSchema), signal };
  const account = { ...pickOptions(upload, bearerSchema), signal } as BearerOptions;
  const known = new Map<string, string>();
  for (const root of roots) if (await isKnown(root, call)) known.set(normalizeCid(root), root);
  if (known.size === 0) return undefined;
  for (const pauseMs of [0, ...LISTED_MS]) {
    await wait(pauseMs, signal);
    for await (const { cid } of iterateFiles({ ...account, storage: upload.storage, maxRows: ALL_ROWS })) {
      const own = known.get(normalizeCid(cid));
      if (own !== undefined) return own;
    }
  }
  return undefined;
}
