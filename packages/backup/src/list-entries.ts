import { invalidOption, type OptionSchema, type Resolved, resolveOptions } from "keeplight/parts";
import { entryPath } from "./checks.ts";
import { listChosen } from "./choose.ts";
import { type Entry, joinPaths } from "./entries.ts";
import { openReader } from "./open-reader.ts";
import { type ReadOptions, readSchema } from "./options.ts";

/** Options of {@link listEntries}. */
export type ListEntriesOptions = ReadOptions & {
  /** Only this file or folder, by its path in the snapshot, and the folders above it. @default everything */
  path?: string | undefined;
};

const schema = { ...readSchema, path: entryPath } satisfies OptionSchema<ListEntriesOptions>;

/**
 * Yields the entries of a snapshot, in the order of paths. No file is read.
 *
 * @param cid - of the snapshot
 * @throws `INVALID_SNAPSHOT`; `INVALID_OPTION` at the end for a `path` that the snapshot does not have; what `decrypt` and
 * `openFile` throw
 *
 * @example
 * for await (const { kind, path } of listEntries(cid, { signer })) console.log(kind, path);
 */
export async function* listEntries(cid: string, options: ListEntriesOptions): AsyncGenerator<Entry> {
  const resolved = resolveOptions(schema, options);
  let isFound = resolved.path === undefined;
  for await (const entry of readEntries(cid, resolved)) {
    isFound ||= entry.path === resolved.path;
    yield entry;
  }
  if (!isFound) throw invalidOption("path", "a path that the snapshot has");
}

async function* readEntries(cid: string, resolved: Resolved<typeof schema>): AsyncGenerator<Entry> {
  const reader = await openReader(cid, resolved);
  try {
    yield* listChosen(reader.list(), resolved.path);
  } finally {
    await reader.close();
  }
}

/** What differs at one path of two snapshots. */
export interface Difference {
  path: string;
  /** `content`: another kind, other bytes, or another target; `facts`: only another mode or time. */
  change: "added" | "removed" | "content" | "facts";
}

/**
 * Yields what differs between two snapshots, in the order of paths. Both have to be of one account and one format:
 * files of two formats cannot be compared, and differ.
 *
 * @param before - content id of the one snapshot
 * @param after - content id of the other
 * @throws what `listEntries` throws
 *
 * @example
 * for await (const { change, path } of diffSnapshots(yesterday, today, { signer })) console.log(change, path);
 */
export async function* diffSnapshots(
  before: string,
  after: string,
  options: ListEntriesOptions,
): AsyncGenerator<Difference> {
  const resolved = resolveOptions(schema, options);
  for await (const { left, right } of joinPaths(readEntries(before, resolved), readEntries(after, resolved))) {
    const path = left?.path ?? right?.path ?? "";
    if (!left) yield { path, change: "added" };
    else if (!right) yield { path, change: "removed" };
    else if (toContent(left) !== toContent(right)) yield { path, change: "content" };
    else if (toFacts(left) !== toFacts(right)) yield { path, change: "facts" };
  }
}

/** All but where the bytes are stored. */
const toFacts = (entry: Entry) => JSON.stringify({ ...entry, cid: undefined });

function toContent(entry: Entry): string {
  if (entry.kind === "file") return `file ${entry.chunks}`;
  if (entry.kind === "link") return `link ${entry.target}`;
  return entry.kind === "name" ? `name ${entry.of}` : "folder";
}
