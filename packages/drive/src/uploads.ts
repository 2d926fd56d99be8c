import {
  describeFile,
  type Entry,
  type FileState,
  getEntries,
  getMimeType,
  type JournalLike,
  toJournal,
  UPLOAD_KIND,
  type UploadState,
} from "keeplight/parts";
import { addFile, type Change, checkName, createFolder, type PlacedFile, refuseTaken } from "./changes.ts";
import type { Core } from "./core.ts";
import type { Local, Plan } from "./local.ts";
import { mergeAll } from "./merge.ts";
import { createEntryId, emptyState } from "./state.ts";
import type { Tree } from "./tree.ts";

/** How long a file is looked for whose upload is over and did not note it, in milliseconds. */
const MAX_PLAN_AGE_MS = 30 * 24 * 3_600_000;

/** How many key nodes restore a key. */
const NODES_TO_OPEN = 3;

/** Where files are added: to folders, each in the one before, of which the first is in `parent`. */
interface Target {
  parent: string;
  folders: readonly string[];
}

/**
 * Returns a journal for one upload with hidden names. Before anything is sent, the drive's own entry has where each file is to
 * be, by the random name that it is sent under; and before the upload leaves the journal, the file is in the drive. So
 * whenever the process ends, no file is without its name.
 *
 * @param onPlaced - receives the ids of the entries once all files are in the drive, or why they are not
 */
export function trackUpload(
  core: Core,
  local: Local,
  journal: JournalLike,
  target: Target,
  onPlaced: (result: { ids: string[] } | { error: unknown }) => void,
): JournalLike {
  const entries = getEntries(journal);
  const follow = (entry: Entry) => followUpload(core, local, entry, onPlaced);

  return toJournal(
    { place: journal.place },
    {
      ...entries,
      async start<State>(kind: string, state: State, options?: { durable: boolean }) {
        if (kind !== UPLOAD_KIND) return entries.start(kind, state, options);
        await planFiles(core, local, (state as UploadState).files, target);
        return follow((await entries.start(kind, state, options)) as Entry) as Entry<State>;
      },
      async acquire(id: string) {
        return follow(await entries.acquire(id));
      },
    },
  );
}

/** Returns the entry of an upload such that the drive knows what is about to be stored, and has it before the upload is over. */
export function followUpload(
  core: Core,
  local: Local,
  given: Entry,
  onPlaced: (result: { ids: string[] } | { error: unknown }) => void = () => undefined,
): Entry {
  if (given.kind !== UPLOAD_KIND) return given;
  const entry = given as Entry<UploadState>;
  const complete = async () => {
    // What could not be noted is found in the listing, by its random name.
    await readPlans(core, local, entry.state.files).catch(() => undefined);
    await placeFiles(core, local, entry.state.files).then(
      (ids) => onPlaced({ ids }),
      (error: unknown) => onPlaced({ error }),
    );
    await entry.complete();
  };
  const update = async (changed: Partial<UploadState>) => {
    // What is about to be stored is known to the drive first.
    const { files = [] } = changed;
    await readPlans(core, local, files);
    await notePlans(core, local, files);
    await entry.update(changed);
  };
  // Its state changes.
  return Object.create(entry, { complete: { value: complete }, update: { value: update } }) as Entry;
}

/** Removes the plans of an upload that was discarded, but of files that can be opened: as many nodes as that takes have the key. */
export async function forgetUpload(core: Core, local: Local, kind: string, state: unknown): Promise<void> {
  if (kind !== UPLOAD_KIND) return;
  const files = (state as UploadState).files.filter(({ nodesDone }) => nodesDone.length < NODES_TO_OPEN);
  await readPlans(core, local, files);
  const names = files.flatMap(({ sentAs }) => (sentAs !== undefined && local.plans().has(sentAs) ? sentAs : []));
  if (names.length > 0) await core.change(() => [emptyState, undefined, { remove: names }]);
}

/** Reads the plans of an upload that another page or process has begun. */
async function readPlans(core: Core, local: Local, files: readonly FileState[]): Promise<void> {
  const listMissing = () =>
    files.flatMap(({ sentAs }) => (sentAs === undefined || local.plans().has(sentAs) ? [] : sentAs));
  if (listMissing().length === 0) return;
  // It may have ended since; if it has not, its plans are copied.
  await core.readJournal();
  await local.copyPlans(listMissing());
}

/** Creates the folders of files that are uploaded, and keeps where each file is to be. */
async function planFiles(core: Core, local: Local, files: readonly FileState[], { parent, folders }: Target) {
  await core.change((stamp) => {
    const { tree } = core;
    const used = new Set<string>();
    const created = new Map<string, string>();
    const changes: Change[] = [];

    function openFolder(id: string, name: string): string {
      const found = tree.children(id).find((entry) => entry.name === name && !entry.trashed);
      if (found?.type === "folder") return found.id;
      const path = `${id}/${name}`;
      const known = created.get(path);
      if (known !== undefined) return known;
      const added = createEntryId();
      changes.push(createFolder(tree, id, name, added, stamp));
      created.set(path, added);
      return added;
    }

    const plans = files.flatMap(({ name: path, sentAs, lastModified, facts }): [string, Plan][] => {
      if (sentAs === undefined) return [];
      const names = [...folders, ...path.split("/")].map(checkName);
      const name = names.pop() ?? "";
      const modified = Math.round(lastModified ?? Number(facts?.mtimeNs) / 1e6);
      const type = getMimeType(name) ?? undefined;
      return [
        [
          sentAs,
          {
            ...placeFile(tree, local, names.reduce(openFolder, parent), name, used),
            at: Date.now(),
            stamp,
            type,
            ...(Number.isSafeInteger(modified) && { modified }),
          },
        ],
      ];
    });
    return [mergeAll(changes), undefined, { add: plans }];
  });
}

/**
 * Decides where a file is to be: it is a new version of a file that has its name, or will have it; or a new file.
 *
 * @param used - ids that the same upload has given out: two names may be one in the drive, as `é` can be written in two ways
 */
function placeFile(
  tree: Tree,
  local: Local,
  parent: string,
  name: string,
  used: Set<string>,
): Pick<Plan, "id" | "place"> {
  const found = tree.children(parent).find((entry) => entry.name === name && !entry.trashed && !used.has(entry.id));
  if (found) used.add(found.id);
  if (found?.type === "file") return { id: found.id };
  if (found) refuseTaken(tree, parent, name);
  const isHere = ({ id, place }: Plan) => place?.parent === parent && place.name === name && !used.has(id);
  const planned = [...local.plans().values()].find(isHere);
  if (planned) used.add(planned.id);
  return { id: planned?.id ?? createEntryId(), place: { parent, name } };
}

/** Keeps what may be stored under the random names of files, with its proofs, before their last bytes are sent. */
async function notePlans(core: Core, local: Local, files: readonly FileState[]): Promise<void> {
  const noted: [string, Plan][] = [];
  for (const file of files) {
    const plan = local.plans().get(file.sentAs ?? "");
    const cids = file.attempts.flatMap((attempt) => attempt.cids);
    if (!plan || file.sentAs === undefined || cids.every((cid) => plan.files?.[cid])) continue;
    const described = await Promise.all(cids.map(async (cid) => describeFile(file, cid)));
    const facts = described.flatMap((each) => (each ? [[each.cid, omitCid(each)] as const] : []));
    noted.push([file.sentAs, { ...plan, files: { ...plan.files, ...Object.fromEntries(facts) } }]);
  }
  if (noted.length > 0) await core.change(() => [emptyState, undefined, { add: noted }]);
}

const omitCid = <Facts extends { cid: string }>({ cid: _, ...facts }: Facts) => facts;

/** Adds stored files to the drive, by their plans. Returns the ids of their entries. */
async function placeFiles(core: Core, local: Local, files: readonly FileState[]): Promise<string[]> {
  const placed: PlacedFile[] = [];
  const done: string[] = [];
  for (const file of files) {
    const plan = local.plans().get(file.sentAs ?? "");
    if (!plan || file.sentAs === undefined) continue;
    done.push(file.sentAs);
    // Without a place where it is stored, the upload has failed.
    if (!file.stored) continue;
    const cid = file.stored.Hash;
    const described = await describeFile(file, cid);
    placed.push(toPlaced(plan, cid, described ? omitCid(described) : { size: file.size ?? 0 }));
  }
  return addPlaced(core, placed, done);
}

/**
 * Adds files to the drive that were stored while nothing noted it, by the random names that the listing has. Only content ids
 * count that were computed when the file was sent, of uploads that are complete.
 *
 * @returns the names that are in the drive now
 */
export async function placeListed(
  core: Core,
  local: Local,
  listed: readonly { fileName: string; cid: string }[],
): Promise<Set<string>> {
  const placed: PlacedFile[] = [];
  const done = new Set<string>();
  const uploading = local.plans().size === 0 ? new Set<string>() : await local.listUploading();
  for (const { fileName, cid } of listed) {
    const plan = local.plans().get(fileName);
    const facts = plan?.files && Object.hasOwn(plan.files, cid) ? plan.files[cid] : undefined;
    if (!plan || !facts || uploading.has(fileName)) continue;
    // Another page may have placed it, and it may have been moved since.
    if (!isPlaced(core, plan.id, cid)) placed.push(toPlaced(plan, cid, facts));
    done.add(fileName);
  }
  const isOld = ([name, { at }]: [string, Plan]) => Date.now() - at > MAX_PLAN_AGE_MS && !uploading.has(name);
  const old = [...local.plans()].filter(isOld).map(([name]) => name);
  if (done.size + old.length > 0) await addPlaced(core, placed, [...done, ...old]);
  return done;
}

function isPlaced({ state }: Core, id: string, cid: string): boolean {
  const { files = {}, erased = [] } = state.entries.get(id) ?? {};
  return Object.hasOwn(files, cid) || erased.includes(cid);
}

function toPlaced({ id, place, stamp, type, modified }: Plan, cid: string, file: PlacedFile["file"]): PlacedFile {
  return {
    id,
    cid,
    place,
    stamp,
    file: { ...file, ...(type && { type }), ...(modified !== undefined && { modified }) },
  };
}

async function addPlaced(core: Core, placed: readonly PlacedFile[], names: readonly string[]): Promise<string[]> {
  return core.change((stamp) => {
    const change = mergeAll(placed.map((file) => addFile(core.state, file, stamp)));
    return [change, placed.map(({ id }) => id), { remove: names }];
  });
}
