import { checkAddresses } from "../../validation/address.ts";
import type { CallKind, JournaledCall, KeptCall } from "./kept-call.ts";
import { supersede } from "./supersede.ts";

/** The kind of encrypted uploads in a journal. */
export const UPLOAD_KIND = "upload" as const;

/** What a journal keeps of one file of an upload, as far as it concerns who may open it. */
export interface KeptFile {
  /** The content ids of each attempt to send it. */
  attempts: readonly { cids: readonly string[] }[];
  /** Where it is stored, once that is known. */
  stored?: { Hash: string } | undefined;
  /** Whom its key is shared to, if later calls have left fewer addresses than the options of the upload have. */
  shareTo?: readonly string[] | undefined;
}

/** What a journal keeps of an upload, as far as it concerns who may open its files. */
export interface KeptUpload {
  /** Address. */
  owner: string;
  options: { shareTo?: unknown; endpoints?: unknown };
  files: readonly KeptFile[];
}

/**
 * Decides whom the files of an interrupted upload are still to be shared to once a later call on one of them has started:
 * saving its key would otherwise readmit someone who was revoked. Returns `undefined` if nothing changes.
 */
export function supersedeFiles({ owner, options, files }: KeptUpload, later: KeptCall): KeptFile[] | undefined {
  const { cid } = later.call;
  if (cid === undefined) return undefined;
  const left = files.map((file) => {
    const shareTo = file.shareTo ?? (options.shareTo === undefined ? [] : checkAddresses(options.shareTo));
    if (!listCids(file).includes(cid)) return file;
    const parameters = { shareTo, endpoints: options.endpoints };
    const call: JournaledCall = { owner, cid, parameters, nodesDone: [] };
    const changed: Pick<KeptFile, "shareTo"> = supersede({ kind: "save" satisfies CallKind, call }, later) ?? {};
    return changed === parameters ? file : { ...file, shareTo: changed.shareTo ?? [] };
  });
  return left.some((file, at) => file !== files[at]) ? left : undefined;
}

function listCids({ attempts, stored }: KeptFile): string[] {
  return [...attempts.flatMap(({ cids }) => cids), ...(stored ? [stored.Hash] : [])];
}
