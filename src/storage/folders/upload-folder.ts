import { duplicateName, invalidOption, invalidSource, notAJwt, paidList } from "../../base/errors/input.ts";
import { findSizeProblem } from "../../formats/folder-file/manifest.ts";
import {
  createFolderId,
  findNameProblem,
  findPathProblem,
  findTreeProblem,
  toManifestName,
  toStoredNames,
} from "../../formats/folder-file/paths.ts";
import type { SourceFile } from "../../platform/types.ts";
import { encryptFiles, type FileKey, generateKeys, shareDerivedKey } from "../upload/encrypt-files.ts";
import { toFolderPath, toNodeName } from "../upload/file-names.ts";
import { sendAndFinish } from "../upload/finish-upload.ts";
import { resolveRoute } from "../upload/send.ts";
import { listSourceFiles, type Source } from "../upload/source.ts";
import { prepareAttempt, type ResolvedUpload, withUploadEntry } from "../upload/upload-encrypted.ts";
import { createSentName, selectFiles, toFileStates } from "../upload/upload-entry.ts";
import { type EncryptedFolder, FILES_SHARE, finishFolder, scaleProgress } from "./finish-folder.ts";

export async function uploadFolder(
  source: Source,
  options: ResolvedUpload,
  oneKeyForFolder: boolean,
): Promise<EncryptedFolder> {
  const oneKey = oneKeyForFolder || undefined;
  const route = await resolveRoute(options, true);
  if (route.payment) throw paidList();
  const attempt = await prepareAttempt(scaleProgress(options, 0, FILES_SHARE));
  const { name, paths, files: found } = await listSourceFolder(source, options);
  // A signature is valid for one file only.
  if (options.authToken?.startsWith("0x")) throw notAJwt();
  const id = createFolderId();
  const stored = toStoredNames(paths, id, toNodeName);
  const files = found.map(({ folder: _, ...file }, at): SourceFile => ({ ...file, name: stored[at] ?? "" }));
  const [manifestKey, firstKey, ...otherKeys] = (await generateKeys(oneKey ? 2 : 1 + files.length, options)) as [
    FileKey,
    FileKey,
    ...FileKey[],
  ];
  const keys = oneKey ? files.map(() => firstKey) : [firstKey, ...otherKeys];
  const states = toFileStates(files, keys, options.names).map((file, at) => ({ ...file, path: paths[at] }));
  const encrypted = encryptFiles(files, states, oneKey && shareDerivedKey(firstKey.masterKey));
  // Nothing is sent for an owner who cannot sign in.
  await attempt.auth.token();
  const owner = attempt.auth.address;
  const sentAs = createSentName(options.names);
  const manifest = { name: toManifestName(name, id), sentAs, ...manifestKey, attempts: [], nodesDone: [] };
  return withUploadEntry({ owner, files: [...states, manifest], folder: name, oneKey }, options, (entry) => {
    const ofFiles = selectFiles(entry, [...files.keys()]);
    const request = { files, encrypted, route, wrapWithDirectory: false, entry: ofFiles };
    return finishFolder({ name, owner, oneKey, entry }, options, () => sendAndFinish(request, attempt));
  });
}

/**
 * Lists the files of a folder, with their paths in it.
 *
 * @param name - of the folder; by default that of the folder that all files are in
 * @throws `INVALID_OPTION` without a name, `DUPLICATE_NAME`, `INVALID_SOURCE` for a path that a manifest cannot have;
 * what `listSourceFiles` throws
 */
async function listSourceFolder(source: Source, { name, signal }: Pick<ResolvedUpload, "name" | "signal">) {
  const files = await listSourceFiles(source, { name: undefined, signal });
  const folder = name ?? findCommonFolder(files);
  const problem = folder === undefined ? "" : findNameProblem(folder);
  if (folder === undefined || problem !== undefined) throw invalidOption("name", "the name of the folder");
  const paths = files.map(toFolderPath);
  for (const path of paths) {
    const pathProblem = findPathProblem(path);
    if (pathProblem !== undefined) throw invalidSource(pathProblem, { name: path });
  }
  const { problem: treeProblem, duplicate } = findTreeProblem(paths) ?? {};
  if (duplicate !== undefined) throw duplicateName(duplicate, duplicate);
  const limit = treeProblem ?? findSizeProblem(paths);
  if (limit !== undefined) throw invalidSource(limit);
  return { name: folder, paths, files };
}

function findCommonFolder(files: readonly SourceFile[]): string | undefined {
  const [first] = files;
  return files.every(({ folder }) => folder === first?.folder) ? first?.folder : undefined;
}
