import { useUnfinished } from "@keeplight/react";
import type { ListedFile, OpenOperation } from "keeplight";
import { useEffect, useRef, useState } from "react";
import { useSession } from "./session.ts";

const none: readonly OpenOperation[] = [];

/** How long changes are collected before the journal is read, in milliseconds. */
const SETTLE_MS = 300;

/**
 * The account's encrypted uploads that are not complete, of this page and of others. What they have stored may be listed
 * already. Read again with each list of files, and when one is resumed or discarded.
 */
export function useOpenUploads(files: readonly ListedFile[]): readonly OpenOperation[] {
  const { journal } = useSession();
  const { state } = useUnfinished();
  const [open, setOpen] = useState<readonly OpenOperation[]>();
  const isRead = useRef(false);
  const interrupted = (state.value ?? []).map(({ id }) => id).join();

  // biome-ignore lint/correctness/useExhaustiveDependencies: `files` and `interrupted` are what changes with the journal.
  useEffect(() => {
    if (!journal) return;
    let isStale = false;
    const read = async () => {
      const uploads = (await journal.list()).filter(({ kind }) => kind === "upload");
      if (!isStale) setOpen((known) => (known?.length === 0 && uploads.length === 0 ? known : uploads));
    };
    // Without it, the files are listed one by one.
    const timer = setTimeout(() => void read().catch(() => undefined), isRead.current ? SETTLE_MS : 0);
    isRead.current = true;
    return () => {
      isStale = true;
      clearTimeout(timer);
    };
  }, [journal, files, interrupted]);
  return open ?? none;
}
