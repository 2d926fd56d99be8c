import { duplicateName, invalidOption, invalidSource } from "../../errors/input.ts";
import { findNameProblem, findPathProblem, findTreeProblem } from "../../folder-file/check-path.ts";
import { findSizeProblem } from "../../folder-file/manifest.ts";
import type { SourceFile } from "../../platform/types.ts";
import type { Source } from "./source.ts";
import type { UploadSteps } from "./upload-steps.ts";

/** A folder to upload. */
export interface SourceFolder {
  name: string;
  /** Of the file at each index: where it is in the folder. */
  paths: readonly string[];
  files: readonly SourceFile[];
}

/**
 * Lists the files of a folder, with their paths in it.
 *
 * @param name - of the folder; by default that of the folder that all files are in
 * @throws `INVALID_OPTION` without a name, `DUPLICATE_NAME`, `INVALID_SOURCE` for a path that a manifest cannot have;
 * what `listSourceFiles` throws
 */
export async function listSourceFolder(
  source: Source,
  { name, signal }: { name: string | undefined; signal: AbortSignal | undefined },
  { listSourceFiles, toFolderPath }: Pick<UploadSteps, "listSourceFiles" | "toFolderPath">,
): Promise<SourceFolder> {
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
