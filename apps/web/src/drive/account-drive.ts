import {
  type Drive,
  type DriveEntry,
  type DriveFile,
  isDriveOwnFile,
  isFolderManifest,
  MANIFEST_NAME,
} from "@keeplight/drive";
import { useDrive, useDriveList } from "@keeplight/react/drive";
import type { ListedFile } from "keeplight";
import { useEffect, useMemo, useState } from "react";
import { useSession } from "../session/session.ts";

/** The folders and files of the account, as far as they are known. */
export interface AccountDrive {
  /** `none` if this browser keeps nothing, as a private window may: files have no folders then. */
  status: "none" | "loading" | "ready" | "failed";
  /** To change it. */
  drive: Drive | undefined;
  /** All of them, with what is in the trash, but for the lists by which folders are shared. */
  entries: readonly DriveEntry[];
  /** Those that are files, by content id. */
  files: ReadonlyMap<string, DriveFile>;
  /** Content ids of the lists by which folders are shared, by the folders' ids. These lists are not among the entries. */
  manifests: ReadonlyMap<string, string>;
  error: unknown;
  reload(): Promise<void>;
}

const nothing: readonly DriveEntry[] = [];

/** Follows the drive of the account. */
export function useAccountDrive(): AccountDrive {
  const { journal } = useSession();
  const { state, reload } = useDrive();
  const list = useDriveList((drive) => drive.listAll());
  const all = list.status === "ready" ? list.value : nothing;
  return useMemo(() => {
    const entries = all.filter((entry) => !isFolderManifest(entry));
    const manifests = new Map(
      all.flatMap((entry) =>
        entry.type === "file" && entry.name === MANIFEST_NAME && !entry.trashed
          ? [[entry.parent, entry.cid] as const]
          : [],
      ),
    );
    const files = new Map(all.flatMap((entry) => (entry.type === "file" ? [[entry.cid, entry] as const] : [])));
    const status = !journal ? "none" : list.status;
    const error = list.status === "failed" ? list.error : undefined;
    return { status, drive: state.value, entries, files, manifests, error, reload };
  }, [journal, list, state.value, all, reload]);
}

/** What a file is called on the network whose name is hidden. */
const HIDDEN_NAME = /^[0-9a-f]{32}$/;

/** Whether nobody knows yet what a file of {@link useNamedFiles} is: it may be in a folder, from where it goes to the trash. */
export function isUnnamed({ encryption, fileName }: ListedFile, { status }: Pick<AccountDrive, "status">): boolean {
  return (status === "loading" || status === "failed") && encryption === true && fileName === null;
}

/** How long files are not listed while it is not known which are in folders, in milliseconds. */
const PATIENCE_MS = 4_000;

/** The account's files with the names that the drive has of them, without those that the drive is stored in. */
export function useNamedFiles(
  files: readonly ListedFile[],
  { files: known, drive }: AccountDrive,
): readonly ListedFile[] {
  return useMemo(
    () =>
      files.flatMap((file) => {
        // The listing may call the drive's key anything; shared, it would reveal the names of all files.
        if (isDriveOwnFile(file) || drive?.isKey(file.cid)) return [];
        const entry = known.get(file.cid);
        if (!entry && file.encryption && HIDDEN_NAME.test(file.fileName ?? "")) return { ...file, fileName: null };
        return entry ? { ...file, fileName: entry.name, mimeType: entry.mimeType ?? null } : file;
      }),
    [files, known, drive],
  );
}

/**
 * The ids of those files that are in no folder; `undefined` until that is known. Files whose upload another page has begun, and
 * that are stored, are put in their folders.
 */
export function useLooseFiles(
  files: readonly ListedFile[],
  { status, drive }: AccountDrive,
): ReadonlySet<string> | undefined {
  const [known, setKnown] = useState<{ files: readonly ListedFile[]; ids: ReadonlySet<string> }>();
  useEffect(() => {
    if (!drive) return;
    let isStale = false;
    drive.listLoose(files).then(
      (loose) => isStale || setKnown({ files, ids: new Set(loose.map(({ id }) => id)) }),
      // Of a drive that was closed, or cannot be read: what was known before stays.
      () => undefined,
    );
    return () => {
      isStale = true;
    };
  }, [drive, files]);
  const [isLate, setLate] = useState(false);
  useEffect(() => {
    const timer = setTimeout(() => setLate(true), PATIENCE_MS);
    return () => clearTimeout(timer);
  }, []);
  const all = useMemo(() => new Set(files.map(({ id }) => id)), [files]);
  if (status === "none" || status === "failed") return all;
  // A list that is shown stays.
  return known?.ids ?? (isLate ? all : undefined);
}
