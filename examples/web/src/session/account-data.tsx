import { useBalance } from "keeplight/react";
import { createContext, type ReactNode, useContext } from "react";
import { type AllFiles, useAllFiles } from "./all-files.ts";

/** Account data that several screens share. */
interface AccountDataValue {
  files: AllFiles;
  balance: ReturnType<typeof useBalance>;
}

const AccountDataContext = createContext<AccountDataValue | undefined>(undefined);

/** Loads files and usage once for all screens. */
export function AccountData({ children }: { children: ReactNode }) {
  const files = useAllFiles();
  const balance = useBalance();
  return <AccountDataContext.Provider value={{ files, balance }}>{children}</AccountDataContext.Provider>;
}

export function useAccountData(): AccountDataValue {
  const data = useContext(AccountDataContext);
  if (!data) throw new Error("useAccountData works inside <AccountData> only");
  return data;
}
