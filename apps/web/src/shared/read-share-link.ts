import { commitToKey, type Kit, openShareLink } from "keeplight";
import { type FileFacts, toFileFacts } from "../file/file-facts.ts";
import type { KnownKey } from "../file/link-key.ts";

/** A file that a link opens without a wallet. */
export interface LinkedFile {
  cid: string;
  info: FileFacts;
  linkKey: KnownKey;
}

/** Reads a share link, verifies its key, and loads what the network says of its file. */
export async function readShareLink(kit: Kit, link: string, signal: AbortSignal): Promise<LinkedFile> {
  const { cid, key, name, chunkProfile } = await openShareLink(link);
  const [commitment, info] = await Promise.all([commitToKey(cid, key), kit.getFileInfo(cid, { signal })]);
  const fileName = name ?? info.fileName;
  return {
    cid,
    info: toFileFacts({ ...info, cid, fileName, encryption: true }),
    linkKey: { key, commitment, chunkProfile },
  };
}
