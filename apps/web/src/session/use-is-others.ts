import { useAccountData } from "./account-data.tsx";

/** Whether a stored file or folder is not in the account's list; `undefined` until the list is loaded. */
export function useIsOthers(cid: string): boolean | undefined {
  const { files } = useAccountData();
  if (files.files.some((file) => file.cid === cid)) return false;
  return files.isComplete ? true : undefined;
}
