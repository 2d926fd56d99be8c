import { join } from "node:path";
import { createFileCipher, encryptedSize, listSourceFiles, sourceChanged } from "keeplight/parts";
import { readLineAt, readLines, readPlacedLines } from "../json-lines.ts";
import type { Ledger, LedgerRow } from "../ledger/ledger.ts";
import { getLedger, openBulkLedger } from "../ledger/open-ledger.ts";
import type { BulkFile, BulkPlan, BulkStore } from "../plan/plan.ts";
import { planBulk } from "../plan/plan-bulk.ts";
import { checkSha256 } from "../run/batch-files.ts";
import { retryBulk } from "../run/control.ts";
import { runBulk } from "../run/run-bulk.ts";
import type { ResolvedBackup } from "./backup-options.ts";
import type { BackupSet, Places, StartedRun } from "./backup-set.ts";
import type { KnownFile, ScannedEntry } from "./entries.ts";
import { toPlanName } from "./snapshot-format.ts";
import { isToSend } from "./tree.ts";

/**
 * Sends the files of a run's tree by a plan with a ledger, and passes its rows on: one for each file, in the order of the tree.
 * What an earlier call has sent is not sent again; what it has set aside is.
 *
 * @throws what `runBulk` throws
 */
export async function sendTree<T>(
  set: BackupSet,
  places: Places,
  { id, files: total }: StartedRun,
  { apiKey, timeoutMs, idleTimeoutMs, endpoints, storage, onProgress, workers, signal, onError }: ResolvedBackup,
  withRows: (rows: AsyncGenerator<LedgerRow>) => Promise<T>,
): Promise<T> {
  const source = createTreeSource(set, places.tree, `backup ${set.id} ${id}`);
  const { plan } = await planBulk(source, { folder: places.plan, name: toPlanName(set.id, id), signal });
  const handle = await openBulkLedger(join(places.plan, "ledger"));
  try {
    const ledger = getLedger(handle);
    if (await ledger.getPlan(plan.id)) await retryBulk(plan.id, handle);
    await runBulk(plan, {
      upload: { apiKey, timeoutMs, idleTimeoutMs, endpoints, storage },
      source,
      ledger: handle,
      onProgress: ({ filesDone }) => onProgress?.({ phase: "sending", files: filesDone, total }),
      workers,
      signal,
      onError,
    });
    return await withRows(readRows(ledger, plan));
  } finally {
    await handle.close();
  }
}

async function* readRows(ledger: Ledger, { id, batches }: BulkPlan): AsyncGenerator<LedgerRow> {
  for (let batch = 0; batch < batches; batch++) yield* await ledger.read(id, batch);
}

/**
 * Creates the source of the files of a tree that have to be sent. They are numbered from 0 on: neither the name of a file nor
 * its length leaves this machine. A file with other bytes than those that were scanned ends in `SOURCE_CHANGED`.
 */
function createTreeSource({ root, encryption }: BackupSet, tree: string, place: string): BulkStore {
  const cipher = encryption && createFileCipher(encryption.key);
  const salt = Uint8Array.from(Buffer.from(encryption?.salt ?? "", "hex"));
  let places: Promise<number[]> | undefined;
  return {
    place,
    async *list(after) {
      let number = 0;
      for await (const line of readLines<ScannedEntry>(tree)) {
        if (!isToSend(line)) continue;
        const path = String(number++);
        if (after !== undefined && Number(path) <= Number(after)) continue;
        yield { path, size: cipher ? encryptedSize(line.size) : line.size };
      }
    },
    async *open({ path }: BulkFile, signal) {
      places ??= findPlaces(tree);
      const line = await readLineAt<KnownFile>(tree, (await places)[Number(path)] ?? 0);
      const plain = readScanned(join(root, line.path), line, signal);
      yield* cipher ? cipher.encrypt(plain, salt) : plain;
    },
  };
}

async function findPlaces(tree: string): Promise<number[]> {
  const places: number[] = [];
  for await (const { value, at } of readPlacedLines<ScannedEntry>(tree)) if (isToSend(value)) places.push(at);
  return places;
}

/** Reads a file, and throws at its end unless its bytes are those that were scanned. */
async function* readScanned(place: string, line: KnownFile, signal: AbortSignal): AsyncGenerator<Uint8Array> {
  const { path, size } = line;
  const [file] = await listSourceFiles(place, { name: undefined, signal });
  if (file?.size !== size) throw sourceChanged(path, size, file?.size ?? 0);
  yield* checkSha256(file.open(signal), line);
}
