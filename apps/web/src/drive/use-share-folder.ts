import { type Drive, type DriveFile, type DriveFolder, isFolderManifest, MANIFEST_NAME } from "@keeplight/drive";
import { useKit } from "@keeplight/react";
import { isKeeplightError, type Kit, type OpenedFolder } from "keeplight";
import { useState } from "react";
import type { ContainedFile } from "../folder/list-archive.ts";
import { openFolder } from "../folder/open-folder.ts";
import { type FolderChange, useFolderChange } from "../folder/use-folder-change.ts";
import { AppError } from "../messages/explain-error.ts";
import { useAccountData } from "../session/account-data.tsx";
import { toSafeName } from "../ui/file-name.tsx";
import { useAction } from "../ui/use-action.ts";

/** The folder as it is shared: a list of its files, which is a file of its own. */
interface Opened {
  folder: OpenedFolder;
  /** Content ids of the lists before, which others may still open. */
  older: readonly string[];
  /** Whether nothing in it can be shared any more, only revoked. */
  isOver: boolean;
}

/** Sharing of a folder of the drive. */
export interface SharedFolder {
  /** What the dialog is about, while that is shown. */
  opened: Opened | undefined;
  change: FolderChange;
  /** Whether the list is being written. */
  isBusy: boolean;
  /** Why it could not be. */
  error: unknown;
  /** Writes the list, and shows the dialog. */
  open(): Promise<void>;
  close(): void;
}

export function useShareFolder(folder: DriveFolder | undefined, files: readonly ContainedFile[]): SharedFolder {
  const kit = useKit();
  const { drive } = useAccountData().drive;
  const change = useFolderChange();
  const { run, status, error } = useAction();
  const [opened, setOpened] = useState<Opened>();
  return {
    opened,
    change,
    isBusy: status === "busy",
    error: status === "failed" ? error : undefined,
    async open() {
      if (!drive || !folder || status === "busy") return;
      await run(async (signal) => {
        const open = files.find(({ isPublic }) => isPublic);
        const isOver = files.length === 0 || open !== undefined;
        const manifest = isOver ? findManifest(drive, folder) : await drive.addManifest(folder, { signal });
        if (!manifest) throw new AppError((texts) => texts.folder.notEncrypted(toSafeName(open?.path ?? folder.name)));
        const shared = await openFolder(kit, manifest.cid, signal);
        setOpened({ folder: shared, older: await listOlder(drive, kit, manifest, signal), isOver });
      });
    },
    close: () => setOpened(undefined),
  };
}

/** Finds the list by which a folder was shared, if it was. */
function findManifest(drive: Drive, { path }: DriveFolder): DriveFile | undefined {
  const found = drive.find(`${path}/${MANIFEST_NAME}`);
  return found?.type === "file" ? found : undefined;
}

/**
 * Lists the manifests that a folder had before, which is more than the versions of one file: two devices may have added one
 * each. Files of that name that are no manifests of the account are not among them.
 */
async function listOlder(drive: Drive, kit: Kit, { cid, parent }: DriveFile, signal: AbortSignal): Promise<string[]> {
  const files = drive.listAll().filter((entry) => entry.parent === parent && isFolderManifest(entry));
  const cids = new Set(files.flatMap((file) => drive.versions(file)).map((version) => version.cid));
  cids.delete(cid);
  const isOwn = async (each: string) => {
    try {
      return (await openFolder(kit, each, signal)).owner === drive.account;
    } catch (error) {
      if (isKeeplightError(error, "ABORTED")) throw error;
      // It may be shared all the same if it only cannot be read now.
      return !["INVALID_FOLDER", "NODE_REFUSED", "CID_NOT_FOUND"].some(
        (code) => isKeeplightError(error) && error.code === code,
      );
    }
  };
  const own = await Promise.all([...cids].map(async (each) => ((await isOwn(each)) ? [each] : [])));
  return own.flat();
}
