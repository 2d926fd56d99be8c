import type { Source } from "keeplight";
import { type UploadEntry, type Uploads, useUpload, useUploadEncrypted } from "keeplight/react";
import { createContext, type ReactNode, useContext, useEffect, useState } from "react";
import { useAccountData } from "../session/account-data.tsx";

/** How files are stored. */
export type Privacy = "encrypted" | "public";

/** Both lists of uploads; they continue when the user switches screens. */
interface UploadsValue {
  encrypted: Pick<Uploads<object>, "uploads" | "total" | "abort" | "retry" | "clear">;
  open: Pick<Uploads<object>, "uploads" | "total" | "abort" | "retry" | "clear">;
  /** Of both lists, the latest first. */
  entries: readonly { entry: UploadEntry; privacy: Privacy }[];
  start(sources: readonly Source[], privacy: Privacy): void;
}

const UploadsContext = createContext<UploadsValue | undefined>(undefined);

export function UploadsProvider({ children }: { children: ReactNode }) {
  const encrypted = useUploadEncrypted();
  const open = useUpload();
  // The order in which uploads were added, across both lists.
  const [ranks] = useState(() => new Map<string, number>());
  const { files, balance } = useAccountData();
  const done = encrypted.total.count.done + open.total.count.done;
  const { reload: reloadFiles } = files;
  const { reload: reloadBalance } = balance;

  useEffect(() => {
    if (done === 0) return;
    void reloadFiles();
    void reloadBalance();
  }, [done, reloadFiles, reloadBalance]);

  const active = encrypted.total.active || open.total.active;
  useEffect(() => {
    if (!active) return;
    const warn = (event: BeforeUnloadEvent) => event.preventDefault();
    window.addEventListener("beforeunload", warn);
    return () => window.removeEventListener("beforeunload", warn);
  }, [active]);

  const start = (sources: readonly Source[], privacy: Privacy) => {
    const list = privacy === "encrypted" ? encrypted : open;
    for (const id of list.upload(sources)) ranks.set(`${privacy} ${id}`, ranks.size);
  };
  const entries = [
    ...encrypted.uploads.map((entry) => ({ entry, privacy: "encrypted" as const })),
    ...open.uploads.map((entry) => ({ entry, privacy: "public" as const })),
  ];
  // An upload without a rank was added just now.
  const getRank = ({ entry, privacy }: (typeof entries)[number]) =>
    ranks.get(`${privacy} ${entry.id}`) ?? Number.MAX_SAFE_INTEGER;
  entries.sort((one, other) => getRank(other) - getRank(one));
  return <UploadsContext.Provider value={{ encrypted, open, entries, start }}>{children}</UploadsContext.Provider>;
}

export function useAppUploads(): UploadsValue {
  const value = useContext(UploadsContext);
  if (!value) throw new Error("useAppUploads works inside <UploadsProvider> only");
  return value;
}
