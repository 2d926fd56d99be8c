import { isDriveOwnFile } from "@keeplight/drive";
import { useBalance } from "@keeplight/react";
import type { IpnsRecord } from "keeplight";
import { createContext, type ReactNode, useContext, useMemo } from "react";
import { type AccountDrive, useAccountDrive, useLooseFiles, useNamedFiles } from "../drive/account-drive.ts";
import { type GroupedFiles, groupFolders } from "../files/group-folders.ts";
import { useSharing } from "../files/use-sharing.ts";
import { type AllFiles, useAllFiles } from "./all-files.ts";
import { useOpenUploads } from "./open-uploads.ts";

/** Account data that several screens share. */
interface AccountDataValue {
  /** Under the names that the drive has of them. */
  files: AllFiles;
  drive: AccountDrive;
  /** Whether a name is the drive's, and none of its user. While the drive cannot be opened, the list of files says so. */
  isOfDrive(name: IpnsRecord): boolean;
  /** The ids of the files that are in no folder of the drive; `undefined` until that is known. */
  loose: ReadonlySet<string> | undefined;
  /** The same files as the list shows them. */
  groups: GroupedFiles;
  /**
   * The addresses that files are shared with, by content id, and folders of the drive, by their id, as far as this browser
   * knows.
   */
  sharing: ReadonlyMap<string, readonly string[]>;
  balance: ReturnType<typeof useBalance>;
}

const AccountDataContext = createContext<AccountDataValue | undefined>(undefined);

/** Loads files and usage once for all screens. */
export function AccountData({ children }: { children: ReactNode }) {
  const drive = useAccountDrive();
  const balance = useBalance();
  const all = useAllFiles(() => {
    void drive.reload();
    void balance.refetch();
  });
  const named = useNamedFiles(all.files, drive);
  const loose = useLooseFiles(all.files, drive);
  const files = { ...all, files: named };
  const versions = useMemo(() => new Set(all.files.filter(isDriveOwnFile).map(({ cid }) => cid)), [all.files]);
  const isOfDrive = ({ ipnsName, cid }: IpnsRecord) =>
    ipnsName === drive.drive?.ipnsName || (typeof cid === "string" && versions.has(cid));
  const open = useOpenUploads(files.files);
  const groups = useMemo(() => groupFolders(files.files, open), [files.files, open]);
  const shared = useSharing();
  const sharing = useMemo(() => {
    const folders = Array.from(drive.manifests, ([folder, cid]) => [folder, shared.get(cid) ?? []] as const);
    return new Map([...shared, ...folders]);
  }, [shared, drive.manifests]);
  return (
    <AccountDataContext.Provider value={{ files, drive, isOfDrive, loose, groups, sharing, balance }}>
      {children}
    </AccountDataContext.Provider>
  );
}

export function useAccountData(): AccountDataValue {
  const data = useContext(AccountDataContext);
  if (!data) throw new Error("useAccountData works inside <AccountData> only");
  return data;
}
