/** The names of what the kit keeps in the origin private file system. */
export async function privateFiles(): Promise<string[]> {
  const names: string[] = [];
  const root = await navigator.storage.getDirectory();
  for await (const [name, handle] of root.entries()) {
    if (!name.startsWith("keeplight-") || handle.kind !== "directory") continue;
    for await (const file of (handle as FileSystemDirectoryHandle).keys()) names.push(file);
  }
  return names;
}
