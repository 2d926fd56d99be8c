import { type BearerOptions, createKit, type KeyNodeOptions, type KitDefaults, type OwnerOptions } from "keeplight";
import {
  bearerSchema,
  copyOptions,
  getEntries,
  getOwnerAddress,
  type JournalLike,
  type OptionSchema,
  ownerCallSchema,
  pickOptions,
  recoverFileKeySchema,
  reference,
  resolveOptions,
  throwIfAborted,
  uploadEncryptedSchema,
  uploadKeysFirst,
  writeStoredManifest,
} from "keeplight/parts";
import { openCore } from "./core.ts";
import { createDrive } from "./create-drive.ts";
import type { Drive } from "./drive.ts";
import { createLocal } from "./local.ts";
import { createRemote, type DriveKit } from "./remote.ts";
import { followUpload, forgetUpload } from "./uploads.ts";

/** Options of {@link openDrive}. */
export type DriveOptions = BearerOptions &
  KeyNodeOptions &
  OwnerOptions & {
    /** Keeps what is needed to finish a change if this process ends, and the key of the drive; see `openJournal`. */
    journal: JournalLike;
  };

const schema = {
  ...bearerSchema,
  ...ownerCallSchema,
  journal: reference<JournalLike>(),
} satisfies OptionSchema<DriveOptions>;

/**
 * Opens the drive of an account: its folders, names and versions, which only the account can read. The first time it is
 * created, which saves one key at the key nodes; with a journal that has opened it before, nothing is signed, and it opens
 * without a network as well.
 *
 * @throws `MISSING_API_KEY`, `MISSING_OWNER`, `INVALID_OPTION`; what listing, uploading and decrypting throw, if the journal
 * does not know the drive; what a journal throws
 *
 * @example
 * const drive = await openDrive({ apiKey, signer, journal: await openJournal({ folder: "./journal" }) });
 * await drive.add("./photos", { folder: "2026" });
 * await drive.move("2026/photos/summer.jpg", "2026");
 * console.log(drive.list("2026"));
 * await drive.close();
 */
export async function openDrive(options: DriveOptions): Promise<Drive> {
  return (await open(options, "create")) as Drive;
}

/**
 * Opens the drive of an account as {@link openDrive} does, unless it has none: then nothing is created, and nothing signed.
 *
 * @throws what {@link openDrive} throws
 */
export async function findDrive(options: DriveOptions): Promise<Drive | undefined> {
  return open(options, "none");
}

async function open(options: DriveOptions, ifMissing: "create" | "none"): Promise<Drive | undefined> {
  const copied = copyOptions(options);
  const resolved = resolveOptions(schema, copied);
  const { journal: place, signal, ...own } = copied;
  // Fires when opening or closing the drive is aborted, and ends all that it still does.
  const ended = new AbortController();
  const withSignal = async <T>(given: AbortSignal | undefined, work: () => Promise<T>): Promise<T> => {
    const abort = () => ended.abort(given?.reason);
    if (given?.aborted) abort();
    given?.addEventListener("abort", abort);
    return work().finally(() => given?.removeEventListener("abort", abort));
  };
  // With the caller's own options: a default time limit of short requests would be one of uploads, too.
  const account = { ...own, signal: ended.signal };
  const upload = resolveOptions(uploadEncryptedSchema, account);
  const entries = getEntries(place);
  const kit = createKit(account as KitDefaults) as unknown as DriveKit;
  const address = await getOwnerAddress(resolved);
  const local = createLocal(place, address);
  const remote = createRemote(kit, address, (file) => uploadKeysFirst(file, upload));
  const core = await withSignal(signal, async () => {
    const opened = await openCore(remote, local, ifMissing);
    // One that its journal knows opens without a network, and so without its requests.
    if (ended.signal.aborted) await opened?.close().catch(() => undefined);
    throwIfAborted(ended.signal);
    return opened;
  });
  if (!core) return undefined;
  const recover = resolveOptions(recoverFileKeySchema, pickOptions(account, recoverFileKeySchema));
  const drive = createDrive(core, local, kit, {
    journal: place,
    signer: resolved.signer,
    write: (folder, signal, onFile) =>
      writeStoredManifest(folder, { ...recover, signal: signal ?? recover.signal }, onFile),
  });
  // Uploads that the journal resumes are sent again under other content ids.
  const unfollow = entries.follow((entry) => followUpload(core, local, entry));
  const unsubscribe = entries.onDiscard(({ kind, state }) => forgetUpload(core, local, kind, state));
  const { close } = drive;
  drive.close = ({ signal: given } = {}) =>
    withSignal(given, close).finally(() => {
      unfollow();
      unsubscribe();
    });
  return drive;
}
