import { type ImportShape, importTree } from "../../packages/devnet/src/content/importer.ts";

/** Computes CIDs by path with `ipfs-unixfs-importer`: of files, folders and, at "", the folder around them. */
export async function computeImporterCids(
  files: Readonly<Record<string, Uint8Array>>,
  shape: Partial<ImportShape> = {},
): Promise<Record<string, { cid: string; treeBytes: number }>> {
  const candidates = (async function* () {
    for (const [path, bytes] of Object.entries(files)) {
      const content = (async function* () {
        yield bytes;
      })();
      yield { path, content };
    }
  })();
  const ids: Record<string, { cid: string; treeBytes: number }> = {};
  for await (const { path, cid, treeBytes } of importTree(candidates, { cidVersion: 1, wrap: false, ...shape })) {
    ids[path] = { cid, treeBytes };
  }
  return ids;
}
