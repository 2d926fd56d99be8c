import { absolutePath } from "#platform";
import { invalidSource } from "../../errors/input.ts";
import { readManifest } from "./manifest.ts";
import type { BulkDisk, BulkFile } from "./types.ts";

/**
 * Creates the source of a manifest: JSON lines, each a {@link BulkFile} whose path is below the folder `root`. The order is
 * that of the lines.
 */
export function manifestSource(manifest: string, root: string): BulkDisk {
  if (!isPath(manifest) || !isPath(root)) throw invalidSource("expected the paths of a manifest and of a folder");
  const file = absolutePath(manifest);
  const folder = absolutePath(root);

  async function* list(after?: string): AsyncGenerator<BulkFile> {
    let isBehind = after === undefined;
    for await (const entry of readManifest(file)) {
      if (isBehind) yield entry;
      else isBehind = entry.path === after;
    }
    if (!isBehind) throw invalidSource(`the manifest has no line of ${after} any more`, { name: file });
  }

  return { place: `${file} ${folder}`, root: folder, list };
}

const isPath = (value: unknown) => typeof value === "string" && value !== "";
