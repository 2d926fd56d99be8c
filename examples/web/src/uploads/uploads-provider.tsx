import type { Source } from "keeplight";
import { type Uploads, useUpload, useUploadEncrypted } from "keeplight/react";
import { createContext, type ReactNode, useContext, useEffect } from "react";
import { useAccountData } from "../session/account-data.tsx";

/** How files are stored. */
export type Privacy = "encrypted" | "public";

/** Both lists of uploads; they go on while one looks at other screens. */
interface UploadsValue {
  encrypted: Pick<Uploads<object>, "uploads" | "total" | "abort" | "retry" | "clear">;
  open: Pick<Uploads<object>, "uploads" | "total" | "abort" | "retry" | "clear">;
  start(sources: readonly Source[], privacy: Privacy): void;
}

const UploadsContext = createContext<UploadsValue | undefined>(undefined);

export function UploadsProvider({ children }: { children: ReactNode }) {
  const encrypted = useUploadEncrypted();
  const open = useUpload();
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
    (privacy === "encrypted" ? encrypted : open).upload(sources);
  };
  return <UploadsContext.Provider value={{ encrypted, open, start }}>{children}</UploadsContext.Provider>;
}

export function useAppUploads(): UploadsValue {
  const value = useContext(UploadsContext);
  if (!value) throw new Error("There are no uploads here");
  return value;
}
