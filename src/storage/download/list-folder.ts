import { wholeNumber } from "../../base/checks.ts";
import { MAX_ROWS } from "../../base/config/limits.ts";
import { copyOptions } from "../../base/copy-options.ts";
import { type Operation, type OptionSchema, resolveOptions } from "../../base/operation.ts";
import { type CallOptions, transferSchema } from "../../base/options.ts";
import { checkCid } from "../../formats/cid/check-cid.ts";
import type { FolderEntry } from "../../network/blocks/list-entries.ts";
import { loadOnDemand } from "../load-on-demand.ts";
import { checkPath } from "./open-file.ts";

/** Options of {@link listFolder}. */
export interface ListFolderOptions extends CallOptions {
  /** Of a folder below `cid`: names separated by slashes. @default none: `cid` is the folder */
  path?: string | undefined;
  /** Throw `TOO_MANY_ROWS` after this many entries. @default 100,000 */
  maxRows?: number | undefined;
}

const schema = {
  ...transferSchema,
  path: checkPath,
  maxRows: wholeNumber(MAX_ROWS, 1),
} satisfies OptionSchema<ListFolderOptions>;

export const listFolderOperation = { options: schema } satisfies Operation<ListFolderOptions>;

/**
 * Yields the entries of a folder that is not encrypted, in the order of its blocks. Every block is
 * verified before anything of it is yielded, as by {@link openFile}; blocks are fetched as the loop advances.
 *
 * @throws when the first entry is requested: `INVALID_CID`, `INVALID_OPTION`, `PATH_NOT_FOUND`, `UNSUPPORTED` for a file; at
 * any entry what {@link openFile} throws; `INVALID_RESPONSE` for a folder that has a name twice; `TOO_MANY_ROWS` after
 * `maxRows` entries
 *
 * @example
 * for await (const { name, type, size } of listFolder(cid)) console.log(name, type, size);
 */
export function listFolder(cid: string, options: ListFolderOptions = {}): AsyncGenerator<FolderEntry, void, undefined> {
  // Before the first entry is requested.
  return iterateEntries(cid, copyOptions(options));
}

async function* iterateEntries(cid: string, options: ListFolderOptions): AsyncGenerator<FolderEntry, void, undefined> {
  const { path, maxRows, ...call } = resolveOptions(schema, options);
  cid = checkCid(cid);
  const { listVerifiedFolder } = await loadOnDemand();
  yield* listVerifiedFolder(cid, call, { path, maxRows });
}
