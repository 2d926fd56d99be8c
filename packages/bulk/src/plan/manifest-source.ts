import { join, resolve } from "node:path";
import { invalidSource } from "keeplight/parts";
import { readManifest } from "./manifest.ts";
import { isOwnKey, KEY_PATH } from "./own-folders.ts";
import type { BulkDisk, BulkFile, BulkListing } from "./types.ts";

/**
 * Creates the source of a manifest: JSON lines, each a {@link BulkFile} whose path is below the folder `root`. The order is
 * that of the lines. A file with a key of a journal or of backups is left out, like what cannot be read.
 */
export function manifestSource(manifest: string, root: string): BulkDisk {
  if (!isPath(manifest) || !isPath(root)) throw invalidSource("expected the paths of a manifest and of a folder");
  const file = resolve(manifest);
  const folder = resolve(root);

  async function* list(...[after, onSkipped]: Parameters<BulkListing["list"]>): AsyncGenerator<BulkFile> {
    let isBehind = after === undefined;
    for await (const entry of readManifest(file)) {
      const { path } = entry;
      if (!isBehind) {
        isBehind = path === after;
      } else if (KEY_PATH.test(path) && (await isOwnKey(join(folder, path)))) {
        const error = invalidSource(`${path} has a key of a journal or of backups, which must not be sent`, {
          name: path,
        });
        if (!onSkipped) throw error;
        onSkipped({ path, code: error.code });
      } else {
        yield entry;
      }
    }
    if (!isBehind) throw invalidSource(`the manifest has no line of ${after} any more`, { name: file });
  }

  return { place: `${file} ${folder}`, root: folder, list };
}

const isPath = (value: unknown) => typeof value === "string" && value !== "";
