import type { OwnerChangeOptions } from "../kavach/nodes/owner-call.ts";
import { type Addresses, checkAddresses } from "../validation/address.ts";
import { checkCid } from "../validation/cid.ts";
import { changeFolder, type FolderChangeOptions } from "./change-folder.ts";
import type { FolderCalls } from "./folder-calls.ts";
import type { OpenedFolder } from "./read-folder.ts";

/** An option that holds addresses. */
type WithAddresses<Name extends string> = Record<Name, Addresses>;

/**
 * Allows or withdraws access to every file of a folder, once the arguments are checked.
 *
 * @param name - of the option with the addresses
 * @param change - changes access to one file
 */
export async function changeAccess<Name extends "shareTo" | "revokeTo">(
  cid: string,
  options: FolderChangeOptions & WithAddresses<Name>,
  name: Name,
  change: (cid: string, options: OwnerChangeOptions & WithAddresses<Name>) => Promise<unknown>,
  calls: FolderCalls,
): Promise<OpenedFolder> {
  cid = checkCid(cid);
  const { [name]: addresses, ...owner } = options;
  const checked = { [name]: checkAddresses(addresses) } as unknown as WithAddresses<Name>;
  const changeFile = (file: string, own: OwnerChangeOptions) => change(file, { ...own, ...checked });
  return changeFolder(cid, owner as unknown as FolderChangeOptions, { ...calls, changeFile });
}
