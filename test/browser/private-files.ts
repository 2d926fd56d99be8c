/** The files that the kit keeps in the origin private file system. */
async function* iterateEntries(): AsyncGenerator<FileSystemFileHandle> {
  const root = await navigator.storage.getDirectory();
  for await (const [name, folder] of root.entries()) {
    if (!name.startsWith("keeplight-") || folder.kind !== "directory") continue;
    for await (const file of (folder as FileSystemDirectoryHandle).values()) yield file as FileSystemFileHandle;
  }
}

/** Returns their names. */
export async function listPrivateFiles(): Promise<string[]> {
  const names: string[] = [];
  for await (const { name } of iterateEntries()) names.push(name);
  return names;
}

/** Returns their contents. */
export async function readPrivateFiles(): Promise<Uint8Array[]> {
  const contents: Uint8Array[] = [];
  for await (const file of iterateEntries()) contents.push(new Uint8Array(await (await file.getFile()).arrayBuffer()));
  return contents;
}

/** Changes a byte of each. */
export async function changePrivateFiles(): Promise<void> {
  const position = 1_000_000;
  for await (const file of iterateEntries()) {
    const before = await (await file.getFile()).slice(position, position + 1).arrayBuffer();
    const data = new Uint8Array(before).map((byte) => byte ^ 1);
    const writable = await file.createWritable({ keepExistingData: true });
    await writable.write({ type: "write", position, data });
    await writable.close();
  }
}
