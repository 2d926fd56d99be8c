import {
  type Entry,
  type FileKey,
  type FileState,
  generateKeys,
  type ResolvedUpload,
  toNodeName,
  type UploadState,
} from "keeplight/parts";

/**
 * Adds keys of the files at these paths to the entry of a batch, unless it has them. They survive a power cut once this resolves:
 * nothing is encrypted by a key that could be lost.
 *
 * @param owner - address of the account
 * @param isOneKey - whether all files of the batch have one key
 */
export async function addFileKeys(
  entry: Entry<UploadState>,
  paths: readonly string[],
  { owner, isOneKey, options }: { owner: string; isOneKey: boolean; options: ResolvedUpload },
): Promise<void> {
  const { files } = entry.state;
  const known = new Set(files.map(({ path }) => path));
  const missing = paths.filter((path) => !known.has(path));
  if (missing.length === 0) return;
  const [first] = files;
  const keys = isOneKey && first ? [first] : await generateKeys(isOneKey ? 1 : missing.length, options);
  const names = toStoredNames(
    missing,
    files.map(({ name }) => name),
  );
  const added = missing.map((path, at) => toFile(path, names[at] ?? "", keys[isOneKey ? 0 : at] as FileKey));
  // Those that a key depends on: of the first attempt.
  const { threshold, scheme } = options;
  await entry.update({ owner, options: { threshold, scheme }, files: [...files, ...added] });
}

function toFile(path: string, name: string, { masterKey, keyShards }: FileKey): FileState {
  return { name, path, masterKey, keyShards, attempts: [], nodesDone: [] };
}

/** Returns the names to store files under: their paths with `-` for `/`, and numbers before those that others have. */
function toStoredNames(paths: readonly string[], others: readonly string[]): string[] {
  const taken = new Set(others.map(toNodeName));
  return paths.map((path) => {
    const flat = path.replaceAll("/", "-");
    let name = flat;
    for (let number = 2; taken.has(toNodeName(name)); number++) name = `${number}-${flat}`;
    taken.add(toNodeName(name));
    return name;
  });
}
