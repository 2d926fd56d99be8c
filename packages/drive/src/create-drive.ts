import type { ListedFile, SignerLike } from "keeplight";
import { checkCid, invalidOption, isOptions, type JournalLike, resolveChanges } from "keeplight/parts";
import { addManifest, type WriteManifest } from "./add-manifest.ts";
import { addSchema } from "./add-options.ts";
import {
  addFile,
  type Change,
  checkName,
  createFolder,
  type EntryLike,
  requireEntry,
  requireFolder,
  toPath,
} from "./changes.ts";
import { createContacts } from "./contacts/contacts.ts";
import type { Core } from "./core.ts";
import type { AdoptedFile, Drive } from "./drive.ts";
import { createEntryChanges } from "./entry-changes.ts";
import { listSharedFiles } from "./folder-manifests.ts";
import { createInbox } from "./inbox/inbox.ts";
import { createLinks } from "./links/links.ts";
import type { Local } from "./local.ts";
import { mergeAll } from "./merge.ts";
import { type DriveKit, isDriveOwnFile } from "./remote.ts";
import { createEntryId, TOP } from "./state.ts";
import { type DriveEntry, type DriveFile, type DriveFolder, listVersions } from "./tree.ts";
import { placeListed, trackUpload } from "./uploads.ts";

export function createDrive(
  core: Core,
  local: Local,
  kit: DriveKit,
  { journal, signer, write }: { journal: JournalLike; signer: SignerLike | undefined; write: WriteManifest },
): Drive {
  const require = (entry: EntryLike) => requireEntry(core.tree, entry);

  function requireId(id: string): DriveEntry {
    const found = core.tree.get(id);
    if (!found) throw invalidOption("entry", "a file or folder that is not deleted");
    return found;
  }

  function requireFile(entry: EntryLike): DriveFile {
    const found = require(entry);
    if (found.type !== "file") throw invalidOption("entry", "a file");
    return found;
  }

  async function sync(): Promise<ListedFile[]> {
    const rows = (await core.sync()).filter(isFile);
    const rest = await place(rows);
    await deleteErased(rows);
    endOver();
    // What was placed is stored with the drive, too.
    if (rest.length < rows.length) await core.sync();
    return rest;
  }

  /** Whether a row is of a file of the account. One of the drive's key is not, whatever it says. */
  function isFile(row: ListedFile): boolean {
    return !isDriveOwnFile(row) && !core.isKey(row.cid);
  }

  /** Puts files of the listing where they were to be. Returns all others. */
  async function place(rows: readonly ListedFile[]): Promise<ListedFile[]> {
    const listed = rows.map(({ cid, fileName }) => ({ cid, fileName: fileName ?? "" }));
    const placed = await placeListed(core, local, listed);
    return rows.filter(({ fileName }) => !placed.has(fileName ?? ""));
  }

  /** Deletes files of the account that were removed for good. What fails is tried again by the next sync. */
  async function deleteErased(rows: readonly ListedFile[]): Promise<void> {
    const kept = new Set<string>();
    const erased = new Set<string>();
    for (const entry of core.state.entries.values()) {
      for (const cid of Object.keys(entry.files ?? {})) kept.add(cid);
      for (const cid of entry.erased ?? []) erased.add(cid);
    }
    // An encrypted file has a content id of its own; one that is not encrypted may have been stored again since.
    const removed = rows.filter(({ cid, encryption }) => encryption && erased.has(cid) && !kept.has(cid));
    for (const { id } of removed) {
      const isDeleted = await kit.deleteFile(id).catch(() => undefined);
      if (!isDeleted) await kit.deleteFile(id, { storage: "walrus" }).catch(() => undefined);
    }
  }

  /** Throws `INVALID_OPTION` once the drive is closed: what it does would be lost with the process. */
  function assertOpen(): void {
    if (core.isClosed()) throw invalidOption("drive", "a drive that is not closed");
  }

  const inbox = createInbox(core, local.account, signer);
  const { createLink, listLinks, endLink, endAll, endOver } = createLinks(core, kit, local.account, requireFile);

  const drive: Drive = {
    get id() {
      return core.id();
    },
    account: local.account,
    get ipnsName() {
      return core.state.pointer?.[0];
    },
    isKey: core.isKey,
    status: core.status,
    subscribe: core.subscribe,
    list: (folder = "") => listVisible(core.tree.children(requireFolder(core.tree, folder))),
    find: (path) => core.tree.find(toPath(path)),
    search(text) {
      const part = text.normalize("NFC").toLowerCase();
      const found = [...core.tree.all()].filter(({ name, trashed }) => !trashed && name.toLowerCase().includes(part));
      return found.sort((one, other) => compareText(one.path, other.path));
    },
    listAll: () => [...core.tree.all()],
    listTrash: () =>
      [...core.tree.all()].filter(({ trashed, parent }) => trashed && !core.tree.get(parent)?.trashed).sort(compare),
    versions: (file) => listVersions(core.state.entries.get(requireFile(file).id) ?? {}),
    async listLoose(files) {
      if (files) await core.readJournal();
      const rows = files ? await place(files.filter(isFile)) : await sync();
      const planned = await local.listPlanned();
      const entries = [...core.state.entries.values()];
      const placed = new Set(entries.flatMap(({ files = {} }) => Object.keys(files)));
      const removed = new Set(entries.flatMap(({ erased = [] }) => erased));
      return rows.filter(({ cid, fileName, encryption }) => {
        return !placed.has(cid) && !(encryption && removed.has(cid)) && !planned.has(fileName ?? "");
      });
    },
    async createFolder(path) {
      const names = toPath(path).split("/").map(checkName);
      assertOpen();
      const id = await core.change((stamp) => {
        const { tree } = core;
        const changes: Change[] = [];
        let parent = TOP;
        for (const [at, name] of names.entries()) {
          const found = tree.children(parent).find((entry) => entry.name === name && !entry.trashed);
          if (found?.type === "folder" && at < names.length - 1) parent = found.id;
          else {
            const added = createEntryId();
            changes.push(createFolder(tree, parent, name, added, stamp));
            parent = added;
          }
        }
        return [mergeAll(changes), parent];
      });
      return requireId(id) as DriveFolder;
    },
    async add(source, options = {}) {
      if (!isOptions(options)) throw invalidOption("options", "an object");
      assertOpen();
      const { folder = "", journal: own = journal, ...upload } = resolveChanges(addSchema, options);
      if (own.place !== journal.place) throw invalidOption("journal", "the drive's own");
      const isPath = typeof folder === "string";
      const target = isPath
        ? { parent: TOP, folders: toPath(folder).split("/").filter(Boolean) }
        : { parent: requireFolder(core.tree, folder), folders: [] };
      let placed: { ids: readonly string[] } | { error: unknown } = { ids: [] };
      const tracked = trackUpload(core, local, own, target, (result) => {
        placed = result;
      });
      const call = { ...upload, names: "hidden", journal: tracked } as { names: "hidden" };
      const stored = await kit.uploadEncrypted(source as File, call);
      if ("error" in placed) throw (placed as { error: unknown }).error;
      return placed.ids.flatMap((id, at) => {
        const file = core.tree.get(id) as DriveFile | undefined;
        const { nodesMissing, receipt } = stored[at] ?? {};
        return file ? [{ ...file, ...(nodesMissing && { nodesMissing }), ...(receipt && { receipt }) }] : [];
      });
    },
    async adopt(files) {
      const checked = files.map(checkAdopted);
      if (checked.some(({ cid }) => core.isKey(cid))) throw invalidOption("cid", "a file other than the drive's key");
      assertOpen();
      const ids = await core.change((stamp) => {
        const placed = checked.map(({ cid, name, folder, ...file }) => {
          const place = { parent: requireFolder(core.tree, folder), name };
          return { id: createEntryId(), cid, place, file };
        });
        return [mergeAll(placed.map((file) => addFile(core.state, file, stamp))), placed.map(({ id }) => id)];
      });
      return ids.map((id) => requireId(id) as DriveFile);
    },
    ...createEntryChanges({ core, assertOpen, sync, endLinks: endAll }),
    ...createContacts(core, assertOpen),
    async share(entry, { shareTo }) {
      const addresses = [shareTo].flat();
      for (const { cid } of listSharedFiles(core.tree, entry)) {
        await kit.kavachShare(cid, { shareTo: addresses, journal });
      }
    },
    createLink: async (file, options) => {
      assertOpen();
      return createLink(file, options);
    },
    listLinks,
    async endLink(link) {
      assertOpen();
      return endLink(link);
    },
    ...inbox,
    async receive(message) {
      assertOpen();
      return inbox.receive(message);
    },
    async removeReceived(file) {
      assertOpen();
      return inbox.removeReceived(file);
    },
    async sync() {
      await sync();
    },
    addManifest: async (folder, options) => {
      assertOpen();
      return addManifest({ core, kit, account: local.account, write, add: drive.add }, folder, options);
    },
    close: core.close,
  };
  return drive;
}

const collator = new Intl.Collator(undefined, { numeric: true });

const compareText = (one: string, other: string) => collator.compare(one, other);

/** Folders first, by name. */
function compare(one: DriveEntry, other: DriveEntry): number {
  return one.type === other.type ? compareText(one.name, other.name) : one.type === "folder" ? -1 : 1;
}

const listVisible = (entries: readonly DriveEntry[]) => entries.filter(({ trashed }) => !trashed).sort(compare);

/** Checks a file to adopt, and copies it. Throws `INVALID_CID`, `INVALID_OPTION`. */
function checkAdopted({ cid, name, folder = "", size = 0, commitment, chunkProfile }: AdoptedFile) {
  if (!Number.isSafeInteger(size) || size < 0) throw invalidOption("size", "a whole number from 0 on");
  if (commitment !== undefined && !/^[0-9a-f]{64}$/.test(commitment)) {
    throw invalidOption("commitment", "64 lower-case hex characters");
  }
  if (chunkProfile !== undefined && typeof chunkProfile !== "string") throw invalidOption("chunkProfile", "a string");
  const proofs = { ...(commitment && { commitment }), ...(chunkProfile && { chunkProfile }) };
  return { cid: checkCid(cid), name: checkName(name), folder, size, ...proofs };
}
