import { type Uploads, useUnfinished, useUpload, useUploadEncrypted } from "@keeplight/react";
import { useAdd } from "@keeplight/react/drive";
import type { Source, UploadPayer } from "keeplight";
import { createContext, type ReactNode, useCallback, useContext, useEffect, useMemo, useRef } from "react";
import { useAccountData } from "../session/account-data.tsx";
import { useSession } from "../session/session.ts";
import { type FileHandles, openFileHandles } from "./file-handles.ts";
import { useRetryUploads } from "./use-retry-uploads.ts";
import { type ListName, listNames, useUploadLists } from "./use-upload-lists.ts";

/** How files are stored. */
export type Privacy = "encrypted" | "public";

/** In which storage class files are stored, or who pays for them. */
export type UploadChoices = { storage?: string | undefined } | { payPerUpload: UploadPayer };

/** The calls of one list of uploads. */
type UploadCalls = Pick<Uploads<object>, "abort" | "retry" | "clear">;

/** How to add files. */
interface StartOptions {
  privacy: Privacy;
  /** Path of the folder of the drive that encrypted files are added to; empty for the top. */
  folder: string;
  /** Returns by what a file can be read again after a reload, if the browser has that. */
  handleOf?: (source: Source) => FileSystemFileHandle | undefined;
  choices?: UploadChoices;
}

/** The lists of uploads; they continue when the user switches screens. Renders nothing at their progress. */
interface UploadsValue {
  lists: Readonly<Record<ListName, UploadCalls>>;
  handles: FileHandles;
  start(sources: readonly Source[], options: StartOptions): void;
}

const UploadsContext = createContext<UploadsValue | undefined>(undefined);

/** How long nothing is complete before handles are removed, in milliseconds. */
const PRUNE_MS = 1_000;

/** A file whose key is on three nodes can be opened: the row says that two are missing, and repairs them. */
const addOptions = { saveOn: "enough" } as const;

/** Outside of the drive a folder is one upload, which is shared as a whole. */
const encryptedOptions = { saveOn: "enough", keepFolder: true } as const;

export function UploadsProvider({ children }: { children: ReactNode }) {
  const { journal } = useSession();
  const { drive } = useAccountData().drive;
  const { upload: add, ...added } = useUploadCalls(useAdd(addOptions));
  const { upload: uploadEncrypted, ...encrypted } = useUploadCalls(useUploadEncrypted(encryptedOptions));
  const { upload: uploadOpen, ...open } = useUploadCalls(useUpload());
  // Without a journal none are kept.
  const place = journal?.place ?? "";
  const handles = useMemo(() => openFileHandles(place), [place]);

  const start = useCallback<UploadsValue["start"]>(
    (sources, { privacy, folder, handleOf, choices = {} }) => {
      // Otherwise the browser may delete keys that are not saved yet when disk space runs out.
      if (journal) void requestPersistence();
      const kept = (journal ? sources : []).flatMap((source) => {
        const handle = handleOf?.(source);
        return handle && source instanceof File ? [{ file: source, handle }] : [];
      });
      void handles.keep(kept);
      if (privacy === "public") return void uploadOpen(sources, choices);
      // What is paid for by itself is in no list of the account, and without a journal there is no drive.
      const isOutside = !journal || "payPerUpload" in choices;
      if (isOutside) return void uploadEncrypted(sources, choices);
      // It is the same folder after it was renamed or moved.
      const found = drive?.find(folder);
      const place = found?.type === "folder" ? found : folder;
      add(sources, { folder: place, ...(choices as { storage?: string }) });
    },
    [add, uploadEncrypted, uploadOpen, handles, journal, drive],
  );
  // biome-ignore lint/correctness/useExhaustiveDependencies: the functions of a list keep their identity.
  const value = useMemo(() => ({ lists: { added, encrypted, open }, handles, start }), [handles, start]);
  return (
    <UploadsContext.Provider value={value}>
      {children}
      <UploadEffects handles={handles} />
    </UploadsContext.Provider>
  );
}

/** The functions of a list, without its uploads: reading those would render at each progress. */
function useUploadCalls<Options>({ upload, abort, retry, clear }: Uploads<Options>) {
  return { upload, abort, retry, clear };
}

/** Loads files again when uploads are complete, retries them after an outage, and removes handles that are no longer needed. */
function UploadEffects({ handles }: { handles: FileHandles }) {
  const lists = useUploadLists();
  const all = listNames.map((name) => lists[name]);
  const { state } = useUnfinished();
  const { reload: reloadFiles } = useAccountData().files;
  const done = all.reduce((sum, { total }) => sum + total.count.done, 0);
  useRetryUploads(all);

  useEffect(() => {
    if (done > 0) void reloadFiles();
  }, [done, reloadFiles]);

  const pending = all
    .flatMap(({ uploads }) => uploads)
    .filter(({ state }) => state.status !== "done")
    .map(({ name }) => name);
  const interrupted = state.status === "ready" ? state.value.flatMap(({ names }) => names) : undefined;
  const seen = useRef(new Set<string>());
  const needed = interrupted && JSON.stringify([...new Set([...pending, ...interrupted])].sort());
  useEffect(() => {
    if (needed === undefined) return;
    const names = new Set(JSON.parse(needed) as string[]);
    for (const name of names) seen.current.add(name);
    const complete = new Set([...seen.current].filter((name) => !names.has(name)));
    // Once for many uploads that are complete soon after each other.
    const timer = setTimeout(() => void handles.prune({ complete, needed: names }), PRUNE_MS);
    return () => clearTimeout(timer);
  }, [needed, handles]);
  return null;
}

export function useAppUploads(): UploadsValue {
  const value = useContext(UploadsContext);
  if (!value) throw new Error("useAppUploads works inside <UploadsProvider> only");
  return value;
}

/** Asks the browser not to delete what this site keeps. Not all browsers have storage that they can promise to keep. */
async function requestPersistence(): Promise<void> {
  const storage: Partial<StorageManager> | undefined = navigator.storage;
  await storage?.persist?.().catch(() => undefined);
}
