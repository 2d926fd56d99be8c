// Names that the network has for an encrypted folder. They show which files belong together without decrypting anything;
// the names that count are those in the manifest.

/** What the name of a stored file says about the encrypted folder that it belongs to. */
export interface FolderName {
  /** Identifies the folder among those of an account. */
  id: string;
  /** Of the folder if `isManifest`, otherwise of the file, with `-` for `/` and possibly shortened. */
  name: string;
  /** Whether it is the manifest, whose content id is that of the folder. */
  isManifest: boolean;
}

/** Names of manifests, and of files. */
const NAME = /^(?:(.+)\.([a-z2-7]{10})\.keeplight-folder\.json|([a-z2-7]{10})\.(.+))$/s;

/**
 * Reads the name of a listed file: to which encrypted folder it belongs, if to any. Nobody checks such names: whether a
 * manifest is one shows only when it is read.
 *
 * @param fileName - `fileName` of a row of `listFiles`
 *
 * @example
 * const folders = fileList.filter(({ fileName }) => parseFolderName(fileName ?? "")?.isManifest);
 */
export function parseFolderName(fileName: string): FolderName | undefined {
  const [, folder, folderId, fileId, file] = NAME.exec(fileName) ?? [];
  const id = folderId ?? fileId;
  const name = folder ?? file;
  return id && name ? { id, name, isManifest: !!folder } : undefined;
}
