import type { ResolvedCall } from "../../base/options.ts";
import type { CidVersion } from "../../formats/cid/content-id.ts";
import type { Recorder as KitWriter } from "../../formats/recovery-file/recorder.ts";
import type { KeyRequest } from "../../keys/file-keys/save-keys.ts";
import type { CallRule } from "../../keys/nodes/call-nodes.ts";
import type { KeyNodes, NodeAuth } from "../../keys/nodes/node-client.ts";
import type { SourceFile } from "../../platform/types.ts";
import type { ProgressReporter } from "../progress.ts";
import type { FileKey } from "./encrypt-files.ts";
import type { UploadedFile } from "./upload-response.ts";

/** One attempt of an encrypted upload: what its options are resolved to before anything can be lost. */
export interface Attempt {
  /** Of transfers. */
  call: ResolvedCall;
  cidVersion: CidVersion;
  /** Reject every content id that was not computed. */
  strict: boolean;
  nodes: KeyNodes;
  auth: NodeAuth;
  requestFor: KeyRequest;
  rule: CallRule;
  kit: KitWriter | undefined;
  progress: ProgressReporter;
  /** Content ids that the caller vouches for, by name. */
  cids?: Readonly<Record<string, string>> | undefined;
  /** Prepares the attempt that a failed one is resumed with, by these changes of its options. */
  again(changed: object): Promise<Attempt>;
}

/** The entry of an encrypted upload while it runs: what another process needs to continue it if this one ends. */
export interface UploadEntry {
  /**
   * All bytes are encrypted, and the last of them are not sent yet: these will be the content ids of the files. Resolves
   * once they are in the entry, so that no file is stored under a content id that is not.
   */
  expectCids(files: readonly (AttemptCids | undefined)[]): Promise<void>;
  /** The upload node, or the caller, says where the files are stored. */
  locate(stored: readonly UploadedFile[]): Promise<void>;
  /** A node has saved its shard of the file at an index. */
  addNode(index: number, node: number): void;
  /** Returns the nodes that have saved their shard of the file at an index. */
  nodesDone(index: number): readonly number[];
  /** Returns whom the file at an index is shared to, if not to those of the options: some were revoked meanwhile. */
  shareTo(index: number): readonly string[] | undefined;
  /** Runs work that continues the upload. */
  resume<T>(work: () => Promise<T>): Promise<T>;
}

/** The content ids that an upload node may return for one encrypted file, which was sent once. */
export interface AttemptCids {
  cids: readonly string[];
  /** Of the encrypted file, in bytes. */
  size: number;
}

/** An encrypted upload of which nothing is sent yet. */
export interface UnsentUpload {
  /** Address. */
  owner: string;
  files: readonly SourceFile[];
  /** Of the file at each index. */
  keys: readonly FileKey[];
  /** If they are those of a folder, and its manifest after them: `oneKey` if all files have one master key. */
  folder?: { name: string; paths: readonly string[]; oneKey: true | undefined } | undefined;
}

const nothing = async () => undefined;

/** The entry of an upload without a journal, which ends with its process. */
export const noEntry: UploadEntry = {
  expectCids: nothing,
  locate: nothing,
  addNode: () => undefined,
  nodesDone: () => [],
  shareTo: () => undefined,
  resume: (work) => work(),
};

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
  const toIndex = (at: number) => indexes[at] ?? -1;
  return {
    expectCids: (files) => entry.expectCids(toAll(files)),
    locate: (stored) => entry.locate(toAll(stored)),
    addNode: (at, node) => entry.addNode(toIndex(at), node),
    nodesDone: (at) => entry.nodesDone(toIndex(at)),
    shareTo: (at) => entry.shareTo(toIndex(at)),
    resume: (work) => work(),
  };
}
