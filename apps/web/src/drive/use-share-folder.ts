import type { DriveFolder } from "@keeplight/drive";
import { useKit } from "@keeplight/react";
import type { OpenedFolder } from "keeplight";
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
        if (open) throw new AppError(({ folder }) => folder.notEncrypted(toSafeName(open.path)));
        const manifest = await drive.addManifest(folder, { signal });
        const older = drive.versions(manifest).map(({ cid }) => cid);
        setOpened({
          folder: await openFolder(kit, manifest.cid, signal),
          older: older.filter((cid) => cid !== manifest.cid),
        });
      });
    },
    close: () => setOpened(undefined),
  };
}
