import { join } from "node:path";
import { encryptedSize, type FileCipher, listSourceFiles, sourceChanged } from "keeplight/parts";
import { readLineAt, readLines, readPlacedLines } from "../json-lines.ts";
import type { Ledger, LedgerRow } from "../ledger/ledger.ts";
import { getLedger, openBulkLedger } from "../ledger/open-ledger.ts";
import type { BulkFile, BulkPlan, BulkStore } from "../plan/plan.ts";
import { planBulk } from "../plan/plan-bulk.ts";
import { checkSha256 } from "../run/batch-files.ts";
import { retryBulk } from "../run/control.ts";
import { type RunBulkOptions, runBulk } from "../run/run-bulk.ts";
import type { KnownFile, Line } from "./entries.ts";
import { isToSend } from "./tree.ts";

/** How the files of a tree are sent: the folder of the plan, and its name. */
export type SendOptions = Pick<RunBulkOptions, "upload" | "workers" | "onError" | "onProgress" | "signal"> & {
  folder: string;
  name: string;
};

/**
 * Sends the files of a tree by a plan with a ledger, and passes its rows on: one for each file, in the order of the tree. What
 * an earlier call has sent is not sent again; what it has set aside is.
 *
 * @throws what `runBulk` throws
 */
export async function sendTree<T>(
  tree: TreeToSend,
  { folder, name, ...run }: SendOptions,
  withRows: (rows: AsyncGenerator<LedgerRow>) => Promise<T>,
): Promise<T> {
  const source = createTreeSource(tree);
  const { plan } = await planBulk(source, { folder, name, signal: run.signal });
  const handle = await openBulkLedger(join(folder, "ledger"));
  try {
    const ledger = getLedger(handle);
    if (await ledger.getPlan(plan.id)) await retryBulk(plan.id, handle);
    await runBulk(plan, { ...run, source, ledger: handle });
    return await withRows(readRows(ledger, plan));
  } finally {
    await handle.close();
  }
}

async function* readRows(ledger: Ledger, { id, batches }: BulkPlan): AsyncGenerator<LedgerRow> {
  for (let batch = 0; batch < batches; batch++) yield* await ledger.read(id, batch);
}

/** What the files of a tree are sent from. */
export interface TreeToSend {
  /** Absolute path of the folder of the backup. */
  root: string;
  /** Path of the tree. */
  tree: string;
  /** Names the tree: no other has the same. */
  place: string;
  /** Absent if files are stored as they are. */
  encryption?: { cipher: FileCipher; salt: Uint8Array };
}

/**
 * Creates the source of the files of a tree that have to be sent. They are numbered from 0 on: neither the name of a file nor
 * its length leaves this machine. A file with other bytes than those that were scanned ends in `SOURCE_CHANGED`.
 */
function createTreeSource({ root, tree, place, encryption }: TreeToSend): BulkStore {
  let places: Promise<number[]> | undefined;
  return {
    place,
    async *list(after) {
      let number = 0;
      for await (const line of readLines<Line>(tree)) {
        if (!isToSend(line)) continue;
        const path = String(number++);
        if (after !== undefined && Number(path) <= Number(after)) continue;
        yield { path, size: encryption ? encryptedSize(line.size) : line.size };
      }
    },
    async *open({ path }: BulkFile, signal) {
      places ??= findPlaces(tree);
      const line = await readLineAt<KnownFile>(tree, (await places)[Number(path)] ?? 0);
      const plain = readScanned(join(root, line.path), line, signal);
      yield* encryption ? encryption.cipher.encrypt(plain, encryption.salt) : plain;
    },
  };
}

async function findPlaces(tree: string): Promise<number[]> {
  const places: number[] = [];
  for await (const { value, at } of readPlacedLines<Line>(tree)) if (isToSend(value)) places.push(at);
  return places;
}

/** Reads a file, and throws at its end unless its bytes are those that were scanned. */
async function* readScanned(place: string, line: KnownFile, signal: AbortSignal): AsyncGenerator<Uint8Array> {
  const { path, size } = line;
  const [file] = await listSourceFiles(place, { name: undefined, signal });
  if (file?.size !== size) throw sourceChanged(path, size, file?.size ?? 0);
  yield* checkSha256(file.open(signal), line);
}
