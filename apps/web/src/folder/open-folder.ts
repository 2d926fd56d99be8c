import type { Kit, OpenedFolder } from "keeplight";

/** Folders that an account has opened, for as long as its session. Their content cannot change. */
const cachedFolders = new WeakMap<OpensFolders, Map<string, OpenedFolder>>();

/** What opens folders: the kit of a session. */
type OpensFolders = Pick<Kit, "readEncryptedFolder">;

/** Opens an encrypted folder, unless it was before: decrypts its manifest, and checks who owns it. */
export async function openFolder(kit: OpensFolders, cid: string, signal?: AbortSignal): Promise<OpenedFolder> {
  const known = getOpenedFolder(kit, cid);
  if (known) return known;
  const folder = await kit.readEncryptedFolder(cid, { signal });
  const folders = cachedFolders.get(kit) ?? new Map<string, OpenedFolder>();
  cachedFolders.set(kit, folders.set(cid, folder));
  return folder;
}

/** Returns a folder that this session has opened. */
export function getOpenedFolder(kit: OpensFolders, cid: string): OpenedFolder | undefined {
  return cachedFolders.get(kit)?.get(cid);
}
