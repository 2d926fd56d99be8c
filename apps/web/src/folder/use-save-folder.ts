import { useEffect, useRef, useState } from "react";
import { getSavePicker, saveToDisk, saveUrl } from "../file/save-to-disk.ts";
import { AppError } from "../messages/explain-error.ts";
import { formatBytes } from "../messages/format.ts";
import { useMessages } from "../messages/language.ts";
import { useToast } from "../ui/toasts.tsx";
import { createArchive } from "./archive.ts";
import { createArchivePaths, toArchiveName } from "./archive-paths.ts";
import type { ArchiveContent } from "./list-archive.ts";

/** Largest archive that is kept in memory, where the browser cannot write to a chosen file, in bytes. */
const MAX_BLOB_BYTES = 500 * 1024 * 1024;
/** How long the browser may take to start saving an archive, in milliseconds. */
const REVOKE_MS = 60_000;

/** How far an archive is: `count` files found, or a `fraction` of their bytes written. */
type SaveState =
  | { status: "idle" }
  | { status: "listing"; count: number }
  | { status: "running"; fraction: number }
  | { status: "failed"; error: unknown };

/** Lists what is to be written. */
export type ListContent = (options: {
  signal: AbortSignal;
  onCount: (count: number) => void;
}) => Promise<ArchiveContent>;

/** A folder that is saved as an archive. */
export interface SavingFolder {
  state: SaveState;
  save(): Promise<void>;
  abort(): void;
}

/**
 * Saves a folder as a ZIP archive: as a stream where the browser can write to a chosen file, otherwise from memory. After
 * a failure no archive is left.
 */
export function useSaveFolder(name: string, list: ListContent): SavingFolder {
  const { folder: texts } = useMessages();
  const toast = useToast();
  const [state, setState] = useState<SaveState>({ status: "idle" });
  const running = useRef<AbortController>(undefined);
  useEffect(() => () => running.current?.abort(), []);

  async function save(): Promise<void> {
    if (running.current) return;
    const controller = new AbortController();
    running.current = controller;
    const { signal } = controller;
    const archiveName = `${toArchiveName(name)}.zip`;
    try {
      const picker = getSavePicker();
      // First, as browsers ask only in response to a click.
      const file = await picker?.({ suggestedName: archiveName });
      if (signal.aborted) return;
      setState({ status: "listing", count: 0 });
      let skipped = 0;
      const open = async () => {
        const content = await list({ signal, onCount: (count) => setState({ status: "listing", count }) });
        skipped = content.skipped;
        return openArchive(content, file === undefined);
      };
      if (file) await saveToDisk(file, open, signal);
      else {
        const url = URL.createObjectURL(await new Response(await open()).blob());
        saveUrl(url, archiveName);
        setTimeout(() => URL.revokeObjectURL(url), REVOKE_MS);
      }
      setState({ status: "idle" });
      toast(texts.saved(archiveName, skipped));
    } catch (error) {
      const isCancelled = signal.aborted || (error instanceof DOMException && error.name === "AbortError");
      setState(isCancelled ? { status: "idle" } : { status: "failed", error });
      if (signal.aborted) toast(texts.downloadCancelled(archiveName));
    } finally {
      // Ends what is being read for later.
      controller.abort();
      running.current = undefined;
    }

    function openArchive({ entries }: ArchiveContent, isInMemory: boolean): Promise<ReadableStream<Uint8Array>> {
      const size = entries.reduce((sum, entry) => sum + entry.size, 0);
      const checkSize = (bytes: number) => {
        if (!isInMemory || bytes <= MAX_BLOB_BYTES) return;
        throw new AppError(({ folder }) => folder.tooLarge(formatBytes(bytes), formatBytes(MAX_BLOB_BYTES)));
      };
      checkSize(size);
      const toPath = createArchivePaths();
      const onProgress = (bytes: number) => {
        // The folder's sizes may be wrong.
        checkSize(bytes);
        setState({ status: "running", fraction: size === 0 ? 1 : Math.min(bytes / size, 1) });
      };
      return createArchive(entries, (names) => toPath([name, ...names]), { signal, onProgress });
    }
  }

  return { state, save, abort: () => running.current?.abort() };
}
