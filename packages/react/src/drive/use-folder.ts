import type { Drive, DriveEntry, DriveFolder, EntryLike } from "@keeplight/drive";
import { useSelected } from "./drive-provider.ts";
import { isSameList } from "./selection.ts";

/** What is in a folder. */
export type FolderState =
  | { status: "loading" }
  | {
      status: "ready";
      /** Files and folders, folders first, by name. */
      entries: readonly DriveEntry[];
      /** The folder itself; missing at the top. */
      folder?: DriveFolder;
      /** The folders that lead to it from the top, itself included. */
      path: readonly DriveFolder[];
    }
  | { status: "missing" }
  | {
      status: "failed";
      /** Why the drive could not be opened. */
      error: Error;
    };

/** What {@link useFolder} returns. */
export interface UseFolder {
  /** The folder as it is now: the same object until it changes. `missing` if there is none, or it is in the trash. */
  state: FolderState;
}

/**
 * Lists a folder of the drive, and follows what this device and others change. Renders only if the list, or the path to it, has
 * changed. A folder that is given as an entry is followed wherever it is moved to; a path is that of whatever is there.
 *
 * @param folder - what `list` returned, or a path. Default the top
 * @throws `UNSUPPORTED` outside a {@link DriveProvider}
 *
 * @example
 * const { state } = useFolder("Photos");
 * if (state.status === "ready") return state.entries.map(({ id, name }) => <li key={id}>{name}</li>);
 */
export function useFolder(folder: EntryLike = ""): UseFolder {
  const key = typeof folder === "string" ? `path ${folder}` : `id ${folder.id}`;
  const selected = useSelected(createFolderReader(folder), isSameFolder, key);
  return { state: selected.status === "ready" ? selected.value : selected };
}

type Shown = Extract<FolderState, { status: "ready" | "missing" }>;

const missing: Shown = { status: "missing" };

function createFolderReader(given: EntryLike): (drive: Drive) => Shown {
  let known = typeof given === "string" ? given.replace(/^\/+|\/+$/g, "") : given;
  return (drive) => {
    if (known === "") return { status: "ready", entries: drive.list(), path: [] };
    const folder = typeof known === "string" ? drive.find(known) : findAgain(drive, known);
    if (folder?.type !== "folder") return missing;
    if (typeof known !== "string") known = folder;
    return { status: "ready", entries: drive.list(folder), folder, path: listPath(drive, folder) };
  };
}

/** Finds an entry as it is now: where it was, or else wherever it was moved to. */
function findAgain(drive: Drive, { id, path }: DriveEntry): DriveEntry | undefined {
  const found = drive.find(path);
  return found?.id === id ? found : drive.search("").find((entry) => entry.id === id);
}

function listPath(drive: Drive, { path }: DriveFolder): DriveFolder[] {
  const names = path.split("/");
  const paths = names.map((_, at) => names.slice(0, at + 1).join("/"));
  return paths.flatMap((each) => {
    const found = drive.find(each);
    return found?.type === "folder" ? [found] : [];
  });
}

function isSameFolder(one: Shown, other: Shown): boolean {
  if (one.status === "missing" || other.status === "missing") return one.status === other.status;
  return isSameList(one.entries, other.entries) && isSameList(one.path, other.path);
}
