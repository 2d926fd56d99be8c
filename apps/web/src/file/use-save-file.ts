import { useKit } from "@keeplight/react";
import { useEffect, useRef, useState } from "react";
import { getMessages } from "../messages/language.ts";
import { toSafeName } from "../ui/file-name.tsx";
import { useToast } from "../ui/toasts.tsx";
import type { FileFacts } from "./file-facts.ts";
import type { KnownKey } from "./link-key.ts";
import { getSavePicker, saveToDisk, saveUrl } from "./save-to-disk.ts";
import type { OpenedFileTask } from "./use-opened-file.ts";

/** Files of this size are written straight to the disk, where the browser can. */
const STREAMED_BYTES = 32 * 1024 * 1024;

/** The state of saving a file. */
type SaveState = { status: "idle" } | { status: "running"; fraction: number } | { status: "failed"; error: unknown };

/** A file that is saved on the person's disk. */
export interface SavingFile {
  state: SaveState;
  save(): Promise<void>;
  abort(): void;
}

/** Saves a file on the person's disk: by the browser's downloads, or a large one as a stream. */
export function useSaveFile(
  cid: string,
  info: FileFacts | undefined,
  opened: OpenedFileTask,
  knownKey?: KnownKey,
): SavingFile {
  const kit = useKit();
  const toast = useToast();
  const [state, setState] = useState<SaveState>({ status: "idle" });
  const running = useRef<AbortController>(undefined);
  useEffect(() => () => running.current?.abort(), []);

  async function saveStreamed({ encryption }: FileFacts, name: string): Promise<void> {
    if (running.current) return;
    const controller = new AbortController();
    running.current = controller;
    const { signal } = controller;
    try {
      const file = await getSavePicker()?.({ suggestedName: name });
      if (!file) return;
      setState({ status: "running", fraction: 0 });
      const onProgress = ({ fraction }: { fraction: number }) => setState({ status: "running", fraction });
      const options = { as: "stream", signal, onProgress } as const;
      // The stream starts once all of it is verified.
      const open = () => (encryption ? kit.decrypt(cid, { ...options, ...knownKey }) : kit.download(cid, options));
      await saveToDisk(file, open, signal);
      setState({ status: "idle" });
      toast(getMessages().file.saved(name));
    } catch (error) {
      const isCancelled = signal.aborted || (error instanceof DOMException && error.name === "AbortError");
      setState(isCancelled ? { status: "idle" } : { status: "failed", error });
      if (signal.aborted) toast(getMessages().file.downloadCancelled(name));
    } finally {
      running.current = undefined;
    }
  }

  async function save(): Promise<void> {
    if (!info) return;
    const name = toSafeName(info.fileName).replaceAll(/[/\\]/g, "_");
    if (info.size >= STREAMED_BYTES && getSavePicker()) return saveStreamed(info, name);
    setState({ status: "idle" });
    const file = await opened.open();
    if (file) saveUrl(file.url, name);
  }

  return { state, save, abort: () => running.current?.abort() };
}
