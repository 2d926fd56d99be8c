import { randomBytes } from "node:crypto";
import { basename } from "node:path";
import type { PaymentToken, PriceOptions } from "keeplight";
import {
  boolean,
  type Check,
  callback,
  getPriceOperation,
  invalidOption,
  invalidSource,
  type OptionSchema,
  optional,
  pickOptions,
  type Resolved,
  resolveOptions,
  throwIfAborted,
  wholeNumber,
} from "keeplight/parts";
import { withFolderLock } from "../json-files.ts";
import { listFiles } from "./list-files.ts";
import { folderPath, refuseInside } from "./own-folders.ts";
import {
  type BulkCost,
  type BulkPlan,
  type BulkSource,
  countBytesToSend,
  estimateCost,
  isOrigin,
  type SkippedPath,
} from "./plan.ts";
import { getSkippedPath, readBatches, readPlanFile, type StoredPlan, writePlanFile } from "./plan-folder.ts";
import { readSkippedLog } from "./skipped-log.ts";
import { folderSource } from "./sources.ts";

/** Options of {@link planBulk}. */
export interface PlanBulkOptions extends PriceOptions {
  /** Folder for the plan and nothing else, outside of the source; created with mode 0700 if there is none. */
  folder: string;
  /** Names the folders that are stored, one for each batch. @default the last part of the source's place */
  name?: string | undefined;
  /** Encrypt the files, and save their keys on the key nodes. @default false */
  encrypted?: boolean | undefined;
  /**
   * Encrypt all files of a batch with one key: small files take a fraction of the time, and the key of one file opens all
   * files of its batch. Share none of them with people who may not open the others.
   *
   * @default false
   */
  oneKeyPerBatch?: boolean | undefined;
  /** Receives how many files were found, now and then. @default none */
  onProgress?:
    | ((found: {
        /** Files that the manifest has. */
        files: number;
      }) => void)
    | undefined;
  /**
   * Receives files and folders that cannot be read, or are neither: they are left out of the plan. Those that an earlier call for
   * the plan has found are reported again.
   *
   * @default none: the first one ends the call
   */
  onSkipped?: ((skipped: SkippedPath) => void) | undefined;
  /** For how long a store that is down is waited for, in milliseconds. @default 3,600,000 (an hour) */
  outageMs?: number | undefined;
  /** Receives each failure of a store that is down, and waited for. What it throws or rejects with is ignored. @default none */
  onError?: ((error: unknown) => void) | undefined;
}

const checkName: Check<string> = (value, name) => {
  const isName = typeof value === "string" && /^(?!\.)[\p{L}\p{N}._-]{1,200}$/u.test(value);
  if (!isName) throw invalidOption(name, "1 to 200 letters, digits, dots, hyphens and underscores");
  return value;
};

const { name: _, ...priceSchema } = getPriceOperation.options;

const schema = {
  ...priceSchema,
  token: (token) => (token ?? "usdc") as PaymentToken,
  folder: folderPath,
  name: optional(checkName),
  encrypted: optional(boolean(false)),
  oneKeyPerBatch: optional(boolean(false)),
  onProgress: callback<NonNullable<PlanBulkOptions["onProgress"]>>(),
  onSkipped: callback<NonNullable<PlanBulkOptions["onSkipped"]>>(),
  outageMs: wholeNumber(3_600_000),
  onError: callback<NonNullable<PlanBulkOptions["onError"]>>(),
} satisfies OptionSchema<PlanBulkOptions>;

type ResolvedPlanning = Resolved<typeof schema>;

/**
 * Lists the files of a source into a manifest, and estimates what sending them costs. Sends nothing. Takes 16 to 32 bytes of
 * memory for each path. If the process ends, the same call continues behind the last file that was found; a plan that
 * is complete is returned as it is: files that are new since are for another plan.
 *
 * @param source - the path of a folder, or a {@link BulkSource}
 * @throws `INVALID_OPTION`, also for the folder of a plan with another source, or that another call is making; `INVALID_SOURCE`,
 * also if there are no files; `SOURCE_UNREADABLE`, `CANNOT_WRITE`, `ABORTED`; what a store throws that is down for longer than
 * `outageMs`; what `getPrice` throws
 *
 * @example
 * const { plan, cost } = await planBulk("/data/photos", { folder: "/data/photos.plan" });
 * console.log(`${cost.files} files for ${cost.price.usd} US dollars`);
 */
export async function planBulk(
  source: string | BulkSource,
  options: PlanBulkOptions,
): Promise<{
  /** For `runBulk` or `enqueueBulk`. */
  plan: BulkPlan;
  /** What it costs. */
  cost: BulkCost;
  /** Whether this call has completed it: otherwise it has the files that were there at `plan.plannedAt`, and no later ones. */
  isNew: boolean;
}> {
  const resolved = resolveOptions(schema, options);
  const { folder, onSkipped } = resolved;
  if (resolved.oneKeyPerBatch && !resolved.encrypted)
    throw invalidOption("oneKeyPerBatch", "false unless encrypted is true");
  const from = typeof source === "string" ? folderSource(source) : checkSource(source);
  const created = createPlan(from, resolved);
  await refuseInside("folder", folder, created);

  async function readStored(): Promise<StoredPlan | undefined> {
    const stored = await readPlanFile(folder);
    if (stored) refuseOther(stored, from, resolved);
    return stored;
  }

  async function continuePlan(): Promise<{ plan: BulkPlan; isNew: boolean }> {
    const stored = (await readStored()) ?? created;
    // Another call may have completed it meanwhile.
    const plan = toPlan(folder, stored);
    return plan ? { plan, isNew: false } : { plan: await completePlan(stored, from, resolved), isNew: true };
  }

  const stored = await readStored();
  const complete = stored && toPlan(folder, stored);
  if (complete && onSkipped) {
    for await (const skipped of readSkippedLog(getSkippedPath(folder))) onSkipped(skipped);
  }
  const refusal = () => invalidOption("folder", "a folder whose plan is not being made by another call");
  const { plan, isNew } = complete
    ? { plan: complete, isNew: false }
    : await withFolderLock(folder, "plan", refusal, continuePlan);
  return { plan, cost: await estimateCost(plan, pickOptions(resolved, priceSchema)), isNew };
}

/**
 * Reads a plan from its folder.
 *
 * @throws `INVALID_OPTION` unless the folder has a plan that is complete; `SOURCE_UNREADABLE`
 */
export async function readBulkPlan(folder: string): Promise<BulkPlan> {
  const path = folderPath(folder, "folder");
  const stored = await readPlanFile(path);
  const plan = stored && toPlan(path, stored);
  if (!plan) throw invalidOption("folder", "the folder of a plan that is complete; planBulk makes and continues plans");
  return plan;
}

function checkSource(source: BulkSource): BulkSource {
  const { place, list } = ((source as unknown) ?? {}) as { [name: string]: unknown };
  if (typeof place === "string" && place !== "" && typeof list === "function" && isOrigin(source)) return source;
  throw invalidSource("expected the path of a folder, or { place, list, root } or { place, list, open }");
}

function createPlan(source: BulkSource, { name, encrypted = false, oneKeyPerBatch }: ResolvedPlanning): StoredPlan {
  const { place } = source;
  return {
    id: randomBytes(16).toString("hex"),
    name: checkName(name ?? toName(place), "name"),
    place,
    ...("root" in source ? { root: source.root } : {}),
    encrypted,
    ...(oneKeyPerBatch ? { oneKeyPerBatch } : {}),
  };
}

/** Returns the last part of a place, without what an upload node may read as another name. */
function toName(place: string): string {
  const name = basename(place).replace(/[^\p{L}\p{N}._-]+/gu, "-");
  return name.replace(/^\.+/, "") || "bulk";
}

/** A plan is not continued with other files, or in another way. */
function refuseOther(stored: StoredPlan, { place }: BulkSource, options: ResolvedPlanning): void {
  const { name } = options;
  if (stored.place !== place)
    throw invalidOption("folder", `a folder without the plan of another source (${stored.place})`);
  for (const option of ["encrypted", "oneKeyPerBatch"] as const) {
    const { [option]: settled = false } = stored;
    if ((options[option] ?? settled) === settled) continue;
    throw invalidOption(option, `${settled}, as in the plan that the folder has`);
  }
  if (name !== undefined && name !== stored.name) throw invalidOption("name", `${stored.name}, as in the plan`);
}

/** Returns the plan of a folder; `undefined` unless it is complete. */
function toPlan(folder: string, { files, bytes, batches, ...plan }: StoredPlan): BulkPlan | undefined {
  if (files === undefined || bytes === undefined || batches === undefined) return undefined;
  const counts = { files, bytes, batches };
  return { ...plan, ...counts, folder, bytesToSend: countBytesToSend({ ...plan, ...counts }) };
}

/** Lists the files that the manifest does not have yet, then counts its files and batches. */
async function completePlan(stored: StoredPlan, source: BulkSource, options: ResolvedPlanning): Promise<BulkPlan> {
  const { folder } = options;
  await writePlanFile(folder, stored);
  const skipped = await listFiles(folder, source, options);
  const counts = { files: 0, bytes: 0, batches: 0 };
  for await (const batch of readBatches(folder, stored.encrypted)) {
    throwIfAborted(options.signal);
    counts.batches++;
    counts.files += batch.length;
    for (const { size } of batch) counts.bytes += size;
  }
  if (counts.files === 0) throw invalidSource("there are no files", { name: source.place });
  const complete = { ...stored, ...counts, plannedAt: Date.now(), ...(skipped ? { skipped } : {}) };
  await writePlanFile(folder, complete);
  return toPlan(folder, complete) as BulkPlan;
}
