import { invalidSource, throwIfAborted } from "keeplight/parts";
import { checkFile } from "./check-file.ts";
import { createDuplicateFinder, type DuplicateFinder } from "./find-duplicate.ts";
import { forEachUntilAborted } from "./for-each.ts";
import { type ManifestWriter, openManifest, readManifest } from "./manifest.ts";
import { getManifestPath, getSkippedPath } from "./plan-file.ts";
import { openSkippedLog } from "./skipped-log.ts";
import type { BulkSource, SkippedPath, SkippedPaths } from "./types.ts";

/** What receives what listing finds, and what ends it. */
interface ListOptions {
  onProgress?: ((found: { files: number }) => void) | undefined;
  onSkipped?: ((skipped: SkippedPath) => void) | undefined;
  signal?: AbortSignal | undefined;
}

/** How many files are found between two reports. */
const REPORT_FILES = 1_000;

/**
 * Lists the files of a source that the manifest of a plan does not have yet. A path that is listed twice ends the call: its file
 * would be stored and billed twice. The listing is started again then, as it has to change.
 *
 * @returns what is left out
 * @throws `INVALID_SOURCE`, `SOURCE_UNREADABLE`, `CANNOT_WRITE`, `ABORTED`; what the source throws
 */
export async function listFiles(
  folder: string,
  source: BulkSource,
  { onProgress, onSkipped, signal }: ListOptions,
): Promise<SkippedPaths | undefined> {
  const path = getManifestPath(folder);
  const manifest = await openManifest(path);
  try {
    const { known, duplicates } = await readKnown(path, manifest);
    let found = known;
    let isLogged = true;
    const log = await openSkippedLog(getSkippedPath(folder), known, (each) => onSkipped?.(each));
    const skip = (each: SkippedPath) => {
      throwIfAborted(signal);
      log.add(each, found);
      isLogged = false;
      onSkipped?.(each);
    };
    const last = known === 0 ? undefined : manifest.last;
    await forEachUntilAborted(source.list(last, onSkipped && skip, signal), signal, async (listed) => {
      if (!isLogged) await log.flush();
      isLogged = true;
      const file = checkFile(listed);
      if (duplicates.add(file.path) && (await manifest.has(file.path))) {
        await manifest.clear();
        throw invalidSource(`${file.path} is listed twice`, { name: file.path });
      }
      await manifest.add(file);
      if (++found % REPORT_FILES === 0) onProgress?.({ files: found });
    });
    const skipped = await log.finish();
    await manifest.finish();
    return skipped;
  } catch (error) {
    await manifest.close().catch(() => undefined);
    throw error;
  }
}

/** Reads what earlier processes have listed; one that has a path twice is cleared. */
async function readKnown(
  path: string,
  manifest: ManifestWriter,
): Promise<{ known: number; duplicates: DuplicateFinder }> {
  const duplicates = createDuplicateFinder();
  let known = 0;
  if (manifest.last === undefined) return { known, duplicates };
  for await (const file of readManifest(path)) {
    known++;
    if (!duplicates.add(file.path)) continue;
    await manifest.clear();
    return { known: 0, duplicates: createDuplicateFinder() };
  }
  return { known, duplicates };
}
