import type { Source } from "keeplight";
import type { QueuedBatch } from "keeplight/parts";
import { describeSource, isFolderSource } from "./upload-entry.ts";

type QueuedFile = QueuedBatch["uploads"][number]["files"][number];

/** What a journal keeps of a source that waits to be uploaded. */
export function describeQueued(source: Source): Pick<QueuedBatch, "folder"> & { files: readonly QueuedFile[] } {
  const files = listParts(source).map(describePart);
  return isFolderSource(source) ? { folder: describeSource(source).name, files } : { files };
}

/** Of the options of calls, those that a journal does not keep: they authenticate, or are no data. */
const UNKEPT = ["signer", "address", "authToken", "apiKey", "via", "journal"];

/** Returns the options that a journal keeps with what waits. */
export function toStoredOptions(options: object): object {
  const isKept = ([name, value]: [string, unknown]) => !UNKEPT.includes(name) && typeof value !== "function";
  return Object.fromEntries(Object.entries(options).filter(isKept));
}

/** What was chosen for uploads that have waited. */
interface ChosenSources {
  /** Of each upload: its source, or `undefined` if it has a file that was not there. */
  sources: (Source | undefined)[];
  /** The files that they consist of. */
  files: Source[];
}

/**
 * Finds uploads that have waited among the files of `source`: those of the same names, sizes and dates, whatever folder a
 * single file was chosen with. Files may be identical in these, so that each is chosen once.
 *
 * @param used - files that were chosen before
 */
export function chooseQueued(
  { folder, uploads }: QueuedBatch,
  source: Source | undefined,
  used: ReadonlySet<Source>,
): ChosenSources {
  const parts = new Map<string, Source[]>();
  for (const part of source === undefined ? [] : listParts(source)) {
    const { name } = describePart(part);
    for (const key of new Set([name, folder === undefined ? getBaseName(name) : name])) {
      parts.set(key, [...(parts.get(key) ?? []), part]);
    }
  }
  const chosen = new Set<Source>();
  const find = (file: QueuedFile) => {
    const isFree = (part: Source) => !used.has(part) && !chosen.has(part) && isSame(file, describePart(part));
    const found = parts.get(file.name)?.find(isFree);
    if (found === undefined) return undefined;
    chosen.add(found);
    return withName(found, file.name);
  };
  const sources = uploads.map(({ files }) => {
    const found = files.flatMap((file) => find(file) ?? []);
    if (found.length < files.length) return undefined;
    return found.length === 1 && folder === undefined ? found[0] : (found as unknown as Source);
  });
  return { sources, files: [...chosen] };
}

/** The files of a source: it may be an array of them. */
function listParts(source: Source): Source[] {
  const isList = typeof source === "object" && "length" in source && !ArrayBuffer.isView(source);
  return isList ? Array.from(source as ArrayLike<Source>).flatMap(listParts) : [source];
}

function describePart(part: Source): QueuedFile {
  const lastModified = part instanceof File ? part.lastModified : undefined;
  return { ...describeSource(part), lastModified };
}

function isSame(queued: QueuedFile, { size, lastModified }: QueuedFile): boolean {
  return queued.size === size && queued.lastModified === lastModified;
}

/** A file that was chosen with its folder is stored under the name that it was added with. */
function withName(part: Source, name: string): Source {
  if (!(part instanceof File) || describePart(part).name === name) return part;
  const { type, lastModified } = part;
  return new File([part], name, { type, lastModified });
}

const getBaseName = (path: string) => path.slice(path.lastIndexOf("/") + 1);
