import type { EncryptedFolder, UploadedFiles } from "keeplight";

/** Returns what an upload has stored; of an encrypted folder its manifest, then its files, as `resume` of a journal does. */
export function toUploadedFiles(stored: UploadedFiles | EncryptedFolder): UploadedFiles {
  if (Array.isArray(stored)) return stored as UploadedFiles;
  const { cid, name, size, files } = stored as EncryptedFolder;
  const manifest = { Name: name, Hash: cid, Size: String(size) };
  return [manifest, ...files.map((file) => ({ Name: file.path, Hash: file.cid, Size: String(file.size) }))];
}
