import { type DecryptedFile, type ShownFile, type TaskState, useDecrypt, useDownload } from "@keeplight/react";
import type { Progress } from "keeplight";
import { useState } from "react";
import type { FileFacts } from "./file-facts.ts";
import type { KnownKey } from "./link-key.ts";
import { getBlobType } from "./viewer.ts";

/** A file that is opened as a whole: downloaded, and decrypted if it is encrypted. */
export interface OpenedFileTask {
  state: TaskState<DecryptedFile, Progress>;
  /** Opens the file in place of the previous one; `undefined` if that fails, and the error is in `state`. */
  open(): Promise<ShownFile | undefined>;
  abort(): void;
  reset(): void;
  /** Whether its parts are read as they are shown, instead of the whole file. */
  isPlaying: boolean;
  setPlaying(isPlaying: boolean): void;
}

/** Keeps the opened file as long as the component is mounted: on every tab of a file's page. */
export function useOpenedFile(cid: string, info: FileFacts | undefined, knownKey?: KnownKey): OpenedFileTask {
  const decrypting = useDecrypt();
  const downloading = useDownload();
  const [isPlaying, setPlaying] = useState(false);
  const task = info?.encryption ? decrypting : downloading;
  const open = async () => {
    if (!info) return undefined;
    const type = getBlobType(info.viewer, info.type);
    if (!info.encryption) return downloading.download(cid, { type });
    return decrypting.decrypt(cid, { type, ...knownKey });
  };
  return { state: task.state, open, abort: task.abort, reset: task.reset, isPlaying, setPlaying };
}
