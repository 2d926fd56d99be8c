import type { BigIntStats } from "node:fs";
import { chmod, lstat, mkdir, rename } from "node:fs/promises";
import { join } from "node:path";
import { UsageError } from "../frame/failure.ts";
import { openFetchedFiles } from "./fetched-files.ts";
import { moveToFree, withTemporaryFile } from "./place-file.ts";
import type { RemoteFile } from "./remote-tree.ts";

/** A file of a tree, and what is at its place on this machine. */
export interface PlacedFile extends RemoteFile {
  /** Its path on this machine, below the folder of the tree. */
  local: string;
  /** `there` if it has the right bytes already; `changed` if something else is there that would be lost; `blocked` by a folder. */
  state: "missing" | "there" | "outdated" | "changed" | "blocked";
  /** What is there. */
  found?: BigIntStats | undefined;
}

const FILES_AT_ONCE = 16;

/** Opens the folder of this machine that a tree is fetched to, with proof of its bytes or without. Nothing is written yet. */
export async function openLocalTree(root: string, isUnverified: boolean, signal: AbortSignal) {
  const fetched = await openFetchedFiles(root, isUnverified);
  const { mapInOrder } = await import("keeplight/parts");
  const { removeLeftOver, withWriteErrors } = await import("keeplight/parts/node");
  const look = (local: string) => lstat(join(root, local), { bigint: true }).catch(() => undefined);

  async function place(file: RemoteFile & { local: string }, isPublic: boolean): Promise<PlacedFile> {
    const found = await look(file.local);
    if (!found) return { ...file, state: "missing" };
    if (found.isDirectory()) return { ...file, found, state: "blocked" };
    if (!found.isFile()) return { ...file, found, state: "changed" };
    const known = fetched.getState(file.local, file.cid, found);
    if (known === "same") return { ...file, found, state: "there" };
    const isSame =
      isPublic && Number(found.size) === file.size && (await hasCid(join(root, file.local), file.cid, signal));
    return { ...file, found, state: isSame ? "there" : known === "ours" ? "outdated" : "changed" };
  }

  /** Lists the folders of a tree that something else is in the place of, such as a link that leads elsewhere. */
  async function listBlocked(folders: readonly string[]): Promise<string[]> {
    const blocked: string[] = [];
    const check = async (folder: string) => ({ folder, found: await look(folder) });
    for await (const { folder, found } of mapInOrder(folders, { limit: FILES_AT_ONCE, signal }, check)) {
      if (found && !found.isDirectory()) blocked.push(folder);
    }
    return blocked;
  }

  /** Throws `FILE_EXISTS` for a place that is not as it was when the command started. */
  async function refuseChanged({ local, found }: PlacedFile): Promise<void> {
    const now = await look(local);
    const isSame = now?.ino === found?.ino && now?.size === found?.size && now?.mtimeNs === found?.mtimeNs;
    if (isSame && (await listBlocked(listFolders([local], []))).length === 0) return;
    throw changedMeanwhile(local);
  }

  return {
    listBlocked,
    /** Finds out what is at the places of files. Those of public ones are read, unless it is known what they have. */
    async placeFiles(files: readonly (RemoteFile & { local: string })[], isPublic: boolean): Promise<PlacedFile[]> {
      const placed: PlacedFile[] = [];
      const options = { limit: FILES_AT_ONCE, signal };
      for await (const file of mapInOrder(files, options, (each) => place(each, isPublic))) placed.push(file);
      return placed;
    },
    /** Creates folders, outermost first, and removes from those that are there what a command left that was killed. */
    async createFolders(folders: readonly string[]): Promise<void> {
      await withWriteErrors(root, () => mkdir(root, { recursive: true }));
      await removeLeftOver(root);
      for (const folder of folders) {
        const path = join(root, folder);
        // Not recursive, which would follow links.
        await withWriteErrors(path, () =>
          mkdir(path).catch(async (error: unknown) => {
            if (!(await look(folder))?.isDirectory()) throw error;
            await removeLeftOver(path);
          }),
        );
      }
    },
    /**
     * Runs what writes a file, notes it, and puts it at its place. Throws `FILE_EXISTS` if something has appeared or changed there
     * meanwhile.
     */
    async write(file: PlacedFile, work: (to: string) => Promise<unknown>): Promise<void> {
      const { local, cid, found } = file;
      const path = join(root, local);
      await withTemporaryFile(path, work, async (temporary) => {
        await withWriteErrors(path, async () => {
          // Everyone who might read the file that is replaced may read the new one.
          if (found?.isFile()) await chmod(temporary, Number(found.mode) & 0o777);
          await fetched.note(local, cid, await lstat(temporary, { bigint: true }));
        });
        await refuseChanged(file);
        if (found) await withWriteErrors(path, () => rename(temporary, path));
        else if (!(await moveToFree(temporary, path))) throw changedMeanwhile(local);
      });
    },
  };
}

const changedMeanwhile = (local: string) => new UsageError(`${local} has changed meanwhile`, "FILE_EXISTS");

/** Lists all folders that paths are in, outermost first. */
export function listFolders(files: readonly string[], folders: readonly string[]): string[] {
  const all = new Set<string>();
  const add = (folder: string): void => {
    // Those that a folder is in were added with it.
    for (let path = folder; path !== "" && !all.has(path); path = getParent(path)) all.add(path);
  };
  for (const folder of folders) add(folder);
  for (const file of files) add(getParent(file));
  return [...all].sort();
}

const getParent = (path: string) => path.slice(0, Math.max(path.lastIndexOf("/"), 0));

/** Whether a file has the content id, as files are split by default. */
async function hasCid(path: string, cid: string, signal: AbortSignal): Promise<boolean> {
  const { hashFolder, listSourceFiles, normalizeCid } = await import("keeplight/parts");
  const [file] = await listSourceFiles(path, { name: undefined, signal });
  if (!file) return false;
  for (const version of [1, 0] as const) {
    const { cids } = await hashFolder([{ ...file, name: `folder/${file.name}` }], version, signal);
    if (cids[0] !== undefined && normalizeCid(cids[0]) === normalizeCid(cid)) return true;
  }
  return false;
}
