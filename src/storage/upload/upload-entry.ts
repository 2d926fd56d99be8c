import type { ResolvedCall } from "../../base/options.ts";
import { createId } from "../../base/streams/bytes.ts";
import type { CidVersion } from "../../formats/cid/content-id.ts";
import type { Recorder as KitWriter } from "../../formats/recovery-file/recorder.ts";
import type { saveKeys } from "../../keys/file-keys/save-keys.ts";
import type { FileAccessState, UploadAccessState } from "../../keys/nodes/call-entry.ts";
import { listLaterCalls, takePlace } from "../../keys/nodes/later-calls.ts";
import type { FileFacts, SourceFile } from "../../platform/types.ts";
import type { ProgressReporter } from "../progress.ts";
import type { FileKey } from "./encrypt-files.ts";
import { toEncryptedName } from "./file-names.ts";
import type { StorageClass } from "./storage-class.ts";
import type { Route } from "./upload-access.ts";
import type { UploadedFile } from "./upload-response.ts";

/** One attempt of an encrypted upload: what its options are resolved to before anything can be lost. */
export interface Attempt extends Omit<Parameters<typeof saveKeys>[1], "onSaved"> {
  /** Of transfers. */
  call: ResolvedCall;
  cidVersion: CidVersion;
  /** Reject every content id that was not computed. */
  strict: boolean;
  /** The class that the request names. */
  storage: StorageClass | undefined;
  /** Returns where files are sent again. */
  route(): Promise<Route>;
  kit: KitWriter | undefined;
  progress: ProgressReporter;
  /** Content ids that the caller vouches for, by name. */
  cids?: Readonly<Record<string, string>> | undefined;
  /** Prepares the attempt that a failed one is resumed with, by these changes of its options. */
  again(changed: object): Promise<Attempt>;
}

/** What is known of one file of an encrypted upload. */
export interface FileState extends FileAccessState, FileKey {
  /** As the caller names it. */
  name: string;
  /** Random name that is sent instead, if names are hidden. */
  sentAs?: string | undefined;
  /** Where it is in the folder that is uploaded, if it is in one. */
  path?: string | undefined;
  /** Of the source, in bytes, if known. */
  size?: number | undefined;
  /** Of a source on a disk. */
  facts?: FileFacts | undefined;
  /** Of a source that is a `File`: when it was changed, in milliseconds since 1970. */
  lastModified?: number | undefined;
  /** The content ids of each attempt to send it, the latest first; every attempt has a salt and an iv of its own. */
  attempts: readonly AttemptCids[];
  /** Where it is stored, once that is known. */
  stored?: UploadedFile | undefined;
  /** The nodes that have their shard. */
  nodesDone: readonly number[];
}

/** The content ids that an upload node may return for one encrypted file, which was sent once. */
export interface AttemptCids {
  /** In the requested version, those that were computed. */
  cids: readonly string[];
  /** The chunk profile that yields each. Entries of earlier versions have both usual ones, and do not name them. */
  profiles?: readonly string[] | undefined;
  /** Of the encrypted file, in bytes. */
  size: number;
}

/** The files of an upload of which nothing is sent yet, with the key of the file at each index. */
export function toFileStates(files: readonly SourceFile[], keys: readonly FileKey[], names: NamesOption): FileState[] {
  return files.map((file, at) => {
    const { masterKey = "", keyShards = [] } = keys[at] ?? {};
    const { size, facts } = file;
    const lastModified = getLastModified(file);
    return {
      name: toOwnName(file, names),
      sentAs: createSentName(names),
      size,
      facts,
      lastModified,
      masterKey,
      keyShards,
      attempts: [],
      nodesDone: [],
    };
  });
}

/** Whether the network sees the names of encrypted files. */
export type NamesOption = "visible" | "hidden";

/** Returns the name of a file in results and in the journal. Hidden ones need not be flat: nobody else reads them. */
export function toOwnName(file: SourceFile, names: NamesOption): string {
  return names === "hidden" ? file.name : toEncryptedName(file);
}

/** Creates the random name that a file is sent under; `undefined` if it is sent under its own. */
export function createSentName(names: NamesOption): string | undefined {
  return names === "hidden" ? createId() : undefined;
}

export function getLastModified({ blob }: SourceFile): number | undefined {
  return blob && "lastModified" in blob ? Number(blob.lastModified) : undefined;
}

/** An encrypted upload while it runs: its files, which a journal keeps for another process if there is one. */
export interface UploadEntry {
  /** Returns the files as they are now, with whom they are still shared to if some were revoked meanwhile. */
  files(): readonly FileState[];
  /**
   * All bytes are encrypted, and the last of them are not sent yet: these are the content ids that the files are likely
   * to have. Resolves once they are in the entry. Called again if a response shows that others have to be considered.
   */
  expectCids(expected: readonly (AttemptCids | undefined)[]): Promise<void>;
  /** The upload node, or the caller, says where the files are stored. */
  locate(stored: readonly UploadedFile[]): Promise<void>;
  /** A node has saved its shard of the file at an index. */
  addNode(index: number, node: number): void;
  /** Runs work that continues the upload. */
  resume<T>(work: () => Promise<T>): Promise<T>;
}

/** The entry of an upload without a journal, which ends with its process. */
export function createMemoryEntry(
  initial: readonly FileState[],
  access: Omit<UploadAccessState, "files">,
): UploadEntry {
  let files = [...initial];
  const place = takePlace();
  return {
    files: () => files,
    async expectCids(expected) {
      files = addAttempts(files, expected);
    },
    async locate(stored) {
      files = setLocations(files, stored);
    },
    addNode(index, node) {
      const file = files[index];
      // In place: a copy of the list for each node would take long for thousands of files.
      if (file) files[index] = addNode(file, node);
    },
    async resume(work) {
      const later = listLaterCalls(place);
      if (later.length > 0) {
        const { supersedeFiles } = await import("../../keys/nodes/call-entry.ts");
        for (const call of later) files = supersedeFiles({ ...access, files }, call) ?? files;
      }
      return work();
    },
  };
}

/** Adds the content ids of one more attempt, or more of an earlier one, to the files that have some at their index. */
export function addAttempts(files: readonly FileState[], expected: Parameters<UploadEntry["expectCids"]>[0]) {
  return files.map((file, index): FileState => {
    const found = expected[index];
    if (!found) return file;
    const { cids, profiles, size } = found;
    const others = file.attempts.filter((attempt) => !attempt.cids.every((cid) => cids.includes(cid)));
    return { ...file, attempts: [{ cids, profiles, size }, ...others] };
  });
}

/** Sets where files are stored. Under another content id than before, no node has their shards. */
export function setLocations(files: readonly FileState[], stored: readonly UploadedFile[]) {
  return files.map((file, index): FileState => {
    const found = stored[index];
    const isKnown = found === undefined || found.Hash === file.stored?.Hash;
    return isKnown ? file : { ...file, stored: found, nodesDone: [] };
  });
}

export function addNode(file: FileState, node: number): FileState {
  return { ...file, nodesDone: [...new Set([...file.nodesDone, node])].sort() };
}

/** The part of an upload's entry about the files at these indexes, which are sent by themselves. */
export function selectFiles(entry: UploadEntry, indexes: readonly number[]): UploadEntry {
  const toAll = <Value>(values: readonly Value[]): Value[] => {
    const all: Value[] = [];
    for (const [at, value] of values.entries()) {
      const index = indexes[at];
      if (index !== undefined && value !== undefined) all[index] = value;
    }
    return all;
  };
  return {
    files() {
      const all = entry.files();
      return indexes.flatMap((index) => all[index] ?? []);
    },
    expectCids: (expected) => entry.expectCids(toAll(expected)),
    locate: (stored) => entry.locate(toAll(stored)),
    addNode: (at, node) => entry.addNode(indexes[at] ?? -1, node),
    resume: (work) => work(),
  };
}
