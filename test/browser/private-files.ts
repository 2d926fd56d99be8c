/** What the kit keeps in the origin private file system. */
async function* entries(): AsyncGenerator<FileSystemFileHandle> {
  const root = await navigator.storage.getDirectory();
  for await (const [name, folder] of root.entries()) {
    if (!name.startsWith("keeplight-") || folder.kind !== "directory") continue;
    for await (const file of (folder as FileSystemDirectoryHandle).values()) yield file as FileSystemFileHandle;
  }
}

/** The names of what the kit keeps there. */
export async function privateFiles(): Promise<string[]> {
  const names: string[] = [];
  for await (const { name } of entries()) names.push(name);
  return names;
}

/** What is in it, byte for byte. */
export async function readPrivateFiles(): Promise<Uint8Array[]> {
  const contents: Uint8Array[] = [];
  for await (const file of entries()) contents.push(new Uint8Array(await (await file.getFile()).arrayBuffer()));
  return contents;
}

/** Writes over a byte of each. */
export async function changePrivateFiles(): Promise<void> {
  for await (const file of entries()) {
    const writable = await file.createWritable({ keepExistingData: true });
    await writable.write({ type: "write", position: 1_000_000, data: new Uint8Array([1]) });
    await writable.close();
  }
}
