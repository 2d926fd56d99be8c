import type { SignerLike, Source, StoredPayment, UploadEncryptedOptions, UploadedFiles, UploadPayer } from "keeplight";
import { getQueue, invalidOption, invalidSource, type QueuedBatch, refuseOtherOwner } from "keeplight/parts";
import { type BoundKit, followSigner } from "./bound-kit.ts";
import { missingDriveProvider, unsupported } from "./errors.ts";
import { createHeldOperations, type ResumeRun, resumeOperation } from "./open-operations.ts";
import { describeSource, isFolderSource, toUploadedFiles, type UploadCall } from "./upload-entry.ts";
import { createUploadList, type UploadList } from "./upload-list.ts";

/** The functions that have a list of their own: two of the kit, and `add` of a drive. */
export type UploadKind = "upload" | "uploadEncrypted" | "add";

export type UploadManager = ReturnType<typeof createUploadManager>;

/**
 * The uploads of a provider. They outlive the components that show them.
 *
 * @param getBound - the kit that uploads are added with, and retried with if they are of the same account
 * @param onSettled - called whenever a run of an upload has ended, which may have stored files
 */
export function createUploadManager(getBound: () => BoundKit, onSettled: () => void) {
  const held = createHeldOperations();
  const lists = new Map<string, UploadList<object>>();
  /** Files that were chosen for what has waited. */
  const used = new Set<Source>();
  let isOpen = true;

  function getList(kind: UploadKind, name: string): UploadList<object> {
    const key = JSON.stringify([kind, name]);
    const known = lists.get(key);
    if (known) return known;
    const list = createUploadList<object>(() => createCall(kind, getBound()), {
      prefix: `${key}:`,
      onSettled,
      held,
      getAccount() {
        const { accountId: id, signer } = getBound();
        return { id, address: signer?.address() };
      },
      record(sources, options) {
        const bound = getBound();
        const queue = bound.journal && getQueue(bound.journal);
        const { signer, address } = options as { signer?: SignerLike; address?: string };
        if (!queue) return undefined;
        const followed = signer ? followSigner(signer) : bound.signer;
        const common = { list: [kind, name], options: toStoredOptions(options) };
        const described = sources.map(describeQueued);
        async function add(to: NonNullable<typeof queue>) {
          // Without it, another account could upload them in the next page.
          const account = address ?? (await followed?.findAddress());
          return to.add({ ...common, account }, described);
        }
        return add(queue);
      },
    });
    if (!isOpen) list.close();
    lists.set(key, list);
    return list;
  }

  return {
    /** What is retried in this page: uploads, and payments. */
    held,
    /** Returns the list with this name, the same one each time. */
    getList: <Options extends object>(kind: UploadKind, name: string) =>
      getList(kind, name) as unknown as UploadList<Options>,
    /** Returns the list that the upload with this id was added to. */
    findList: (id: string) => lists.get(id.slice(0, id.lastIndexOf(":"))),
    /**
     * Uploads those files of an operation of the journal that waited there, as far as they are in `source`, in their list.
     *
     * @param payer - required if they are to be paid for
     * @throws `INVALID_SOURCE` if none is, `INVALID_OPTION` without a payer; what the journal throws
     */
    async continueQueued(id: string, source: Source | undefined, payer?: UploadPayer): Promise<undefined> {
      const { journal, signer, accountId } = getBound();
      const queue = journal && getQueue(journal);
      if (!queue) throw unsupported("what is queued without its journal");
      let files: readonly Source[] = [];
      let options = {};
      const { batch, uploads } = await queue.take(id, async (found) => {
        if (found.account !== undefined && signer) refuseOtherOwner(found.account, await signer.signer.getAddress());
        const chosen = chooseQueued(found, source, used);
        const name = found.uploads[0]?.files[0]?.name ?? "";
        if (chosen.sources.every((each) => each === undefined)) throw invalidSource(`${name} is not in it`, { name });
        files = chosen.files;
        options = withPayer(found.options, payer);
        return chosen.sources;
      });
      for (const file of files) used.add(file);
      const [kind, name] = batch.list as [UploadKind, string];
      const sources = uploads.map(({ chosen }) => chosen);
      const places = uploads.map(({ place }) => place);
      const isSame = getBound().accountId === accountId;
      const added = isSame ? getList(kind, name).add(sources, options, places) : [];
      // The page has ended meanwhile, or switched to another account.
      if (added.length === 0) for (const place of places) await place.release();
      return undefined;
    },
    open(): void {
      isOpen = true;
      for (const list of lists.values()) list.open();
    },
    close(): void {
      isOpen = false;
      for (const list of lists.values()) list.close();
    },
  };
}

/** Options of an upload that are passed again on resuming it. */
interface OwnOptions extends Pick<UploadEncryptedOptions, "payPerUpload" | "recoveryTo" | "acceptMessage"> {
  signer?: SignerLike;
  address?: string;
  authToken?: string;
}

function createCall(kind: UploadKind, bound: BoundKit): UploadCall<object> {
  return async (source, { signal, onProgress, ...own }, operationId, place) => {
    if (operationId === undefined) {
      const { keepFolder, ...options } = own as { keepFolder?: boolean };
      const journal = kind !== "upload" && place ? { journal: place.journal } : {};
      const run = { signal, onProgress, ...options, ...journal };
      if (kind === "uploadEncrypted" && keepFolder === true && isFolderSource(source)) {
        return toUploadedFiles(await bound.kit.uploadEncryptedFolder(source, run));
      }
      if (kind !== "add") return bound.kit[kind](source, run);
      if (!bound.drive) throw missingDriveProvider();
      return bound.drive.add(source, run);
    }
    if (kind === "add") await bound.drive?.whenOpen();
    const run = { signal, report: onProgress as ResumeRun["report"] };
    const { payPerUpload, recoveryTo, acceptMessage, signer, address, authToken } = own as OwnOptions;
    const limit = payPerUpload && { payPerUpload: { maxAmount: BigInt(payPerUpload.stored.maxAmount) } };
    const open = { id: operationId, kind: "upload" as const, ...limit };
    // The journal keeps neither functions nor who signs. An owner replaces the provider's as a whole.
    const owner = signer || address ? { signer, address, authToken } : {};
    const functions = { ...(recoveryTo && { recoveryTo }), ...(acceptMessage && { acceptMessage }) };
    const resumeDefaults = { ...bound.resumeDefaults, ...owner, ...functions } as BoundKit["resumeDefaults"];
    const by = { ...bound, resumeDefaults };
    const resumed = await resumeOperation(by, open, { source, payPerUpload }, run);
    // Nothing is known of it without its journal: the upload stays failed, and open there.
    if (!resumed) throw unsupported("resuming an upload without its journal");
    return resumed.result as UploadedFiles;
  };
}

type QueuedFile = QueuedBatch["uploads"][number]["files"][number];

/** What a journal keeps of a source that waits to be uploaded. */
function describeQueued(source: Source): Pick<QueuedBatch, "folder"> & { files: readonly QueuedFile[] } {
  const files = listParts(source).map(describePart);
  return isFolderSource(source) ? { folder: describeSource(source).name, files } : { files };
}

/** Of the options of calls, those that a journal does not keep: they authenticate, or are no data. */
const UNKEPT = ["signer", "address", "authToken", "apiKey", "via", "journal"];

/** Returns the options that a journal keeps with what waits. Who pays has to be passed again. */
function toStoredOptions(options: object): object {
  const isKept = ([name, value]: [string, unknown]) => !UNKEPT.includes(name) && typeof value !== "function";
  const kept = Object.fromEntries(Object.entries(options).filter(isKept));
  const { payPerUpload } = options as { payPerUpload?: UploadPayer };
  return payPerUpload ? { ...kept, payPerUpload: payPerUpload.stored } : kept;
}

/** Returns the options of what has waited. Throws `INVALID_OPTION` if it is to be paid for, and nobody does. */
function withPayer(options: object, payer: UploadPayer | undefined): object {
  const { payPerUpload: stored } = options as { payPerUpload?: StoredPayment };
  if (!stored) return options;
  if (!payer) throw invalidOption("payPerUpload", "who pays for it");
  return { ...options, payPerUpload: payer.withStored(stored) };
}

/**
 * Finds uploads that have waited among the files of `source`: those of the same names, sizes and dates, whatever folder a
 * single file was chosen with. Files may be identical in these, so that each is chosen once. Returns each upload's source,
 * or `undefined` if it has a file that was not there, and the files that the sources consist of.
 *
 * @param used - files that were chosen before
 */
function chooseQueued({ folder, uploads }: QueuedBatch, source: Source | undefined, used: ReadonlySet<Source>) {
  const parts = source === undefined ? [] : listParts(source).filter((part) => !used.has(part));
  const free = new Map(parts.map((part) => [part, describePart(part)]));
  const files: Source[] = [];
  const take = ({ name, size, lastModified }: QueuedFile) => {
    for (const [part, own] of free) {
      const isNamed = own.name === name || (folder === undefined && getBaseName(own.name) === name);
      if (!isNamed || own.size !== size || own.lastModified !== lastModified) continue;
      free.delete(part);
      return [{ part, name }];
    }
    return [];
  };
  const sources = uploads.map((upload) => {
    const found = upload.files.flatMap(take);
    if (found.length < upload.files.length) {
      // Another choice may have the others.
      for (const { part } of found) free.set(part, describePart(part));
      return undefined;
    }
    files.push(...found.map(({ part }) => part));
    const named = found.map(({ part, name }) => withName(part, name));
    return named.length === 1 && folder === undefined ? named[0] : (named as unknown as Source);
  });
  return { sources, files };
}

/** The files of a source: it may be an array of them. */
function listParts(source: Source): Source[] {
  const isList = typeof source === "object" && "length" in source && !ArrayBuffer.isView(source);
  return isList ? Array.from(source as ArrayLike<Source>).flatMap(listParts) : [source];
}

function describePart(part: Source): QueuedFile {
  const lastModified = part instanceof File ? part.lastModified : undefined;
  return { ...describeSource(part), lastModified };
}

/** A file that was chosen with its folder is stored under the name that it was added with. */
function withName(part: Source, name: string): Source {
  if (!(part instanceof File) || describePart(part).name === name) return part;
  const { type, lastModified } = part;
  return new File([part], name, { type, lastModified });
}

const getBaseName = (path: string) => path.slice(path.lastIndexOf("/") + 1);
