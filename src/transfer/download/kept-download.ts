import type { EndpointOptions } from "../../config/endpoints.ts";

/** The kinds of downloads in a journal. */
export type DownloadKind = "download" | "decrypt";

/** What a journal keeps of a download. */
export interface JournaledDownload {
  cid: string;
  /** Absolute path of the target. */
  path: string;
  /** Those that determine the result; a key only if the caller passed it, and nothing that authenticates. */
  options: {
    endpoints?: EndpointOptions | undefined;
    verifyCid?: boolean | undefined;
    chunkProfile?: string | undefined;
    key?: string | readonly string[] | undefined;
    strict?: boolean | undefined;
    commitment?: string | undefined;
    threshold?: number | undefined;
  };
  /** Bytes of the stored file that have arrived. */
  bytesDone: number;
  /** Of the stored file, in bytes, once it is known. */
  size?: number | undefined;
}

export const keptDownloadNames = "endpoints,verifyCid,chunkProfile,key,strict,commitment,threshold";

/** Whether operations of this kind are downloads. */
export function isDownloadKind(kind: string): kind is DownloadKind {
  return kind === "download" || kind === "decrypt";
}
