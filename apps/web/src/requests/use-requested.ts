import { type Drive, type DriveFile, type DriveFolder, isFolderManifest } from "@keeplight/drive";
import { type ListedFile, parseFolderName } from "keeplight";
import { useMemo } from "react";
import { isManifest } from "../file/find-facts.ts";
import { useAccountData } from "../session/account-data.tsx";

/** What a request is about, by the account's own drive and list. Nothing of it is from the link but the content id. */
export type Requested =
  | { kind: "loading" }
  | { kind: "failed"; error: unknown; retry: () => void }
  /** Neither in the drive nor in the list. */
  | { kind: "unknown" }
  | { kind: "trashed" | "public"; name: string }
  /** One without an entry is in the list only: its name is what the network says. */
  | { kind: "file"; name: string; cid: string; entry: DriveFile | undefined; isOlder: boolean }
  /** A folder of the drive, which was shared by a list of its files. */
  | { kind: "folder"; name: string; cid: string; folder: DriveFolder }
  /** A folder that was uploaded as a whole, under the name that the network says. */
  | { kind: "stored-folder"; name: string; cid: string };

/** Finds out what a content id stands for in this account. */
export function useRequested(cid: string): Requested {
  const { files, drive } = useAccountData();
  const entry = useMemo(
    () => drive.files.get(cid) ?? findOlder(drive.drive, [...drive.files.values()], cid),
    [drive, cid],
  );
  const listed = files.files.find((file) => file.cid === cid);
  if (drive.status === "failed") return { kind: "failed", error: drive.error, retry: () => void drive.reload() };
  if (drive.status === "loading") return { kind: "loading" };
  // The drive's own key, whatever the listing calls it: who has it reads the names of all files.
  if (drive.drive?.isKey(cid)) return { kind: "unknown" };
  if (!entry && !listed) {
    if (files.status === "failed") return { kind: "failed", error: files.error, retry: () => void files.reload() };
    return { kind: files.isComplete ? "unknown" : "loading" };
  }
  if (!entry) return listed ? describeListed(listed) : { kind: "unknown" };
  const { name } = entry;
  if (entry.trashed) return { kind: "trashed", name };
  if (listed?.encryption === false) return { kind: "public", name };
  if (!isFolderManifest(entry)) return { kind: "file", name, cid, entry, isOlder: entry.cid !== cid };
  const folder = drive.entries.find((each) => each.id === entry.parent);
  return folder?.type === "folder" ? { kind: "folder", name: folder.name, cid, folder } : { kind: "unknown" };
}

/** Finds the file that had a content id before. */
function findOlder(drive: Drive | undefined, files: readonly DriveFile[], cid: string): DriveFile | undefined {
  return drive && files.find((file) => drive.versions(file).some((version) => version.cid === cid));
}

function describeListed(file: ListedFile): Requested {
  const { cid, fileName, encryption } = file;
  const name = (encryption === true && parseFolderName(fileName ?? "")?.name) || fileName || cid;
  if (encryption === false) return { kind: "public", name };
  if (isManifest(file)) return { kind: "stored-folder", name, cid };
  return { kind: "file", name, cid, entry: undefined, isOlder: false };
}
