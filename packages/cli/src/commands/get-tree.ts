import { resolve } from "node:path";
import type { Progress } from "keeplight";
import { UsageError } from "../frame/failure.ts";
import type { Invocation } from "../frame/invocation.ts";
import { typeAgain } from "../frame/type-again.ts";
import { clean, formatBytes } from "../output/format.ts";
import { findUnsafePaths, TOO_LONG, toFileName, toSafePaths } from "../steps/file-names.ts";
import { createFilter, createWalkFilter } from "../steps/filters.ts";
import { listFolders, openLocalTree, type PlacedFile } from "../steps/local-tree.ts";
import { openTree, type RemoteTree } from "../steps/remote-tree.ts";

const FILES_AT_ONCE = 8;

/** Stores a tree of the network in a folder: `get -r`. */
export async function getTree(invocation: Invocation): Promise<void> {
  const { output, option, flag, argument, isDryRun, signal } = invocation;
  if (flag("nameFromNetwork")) throw new UsageError("--name-from-network is for a single file: -o names the folder");
  if (option("output") === "-") throw new UsageError("A folder cannot be written to standard output");
  const tree = await openTree(invocation, argument("cid"));
  const { files, folders } = await chooseFiles(invocation, tree);
  const root = resolve(option("output") ?? (tree.name === undefined ? "." : (toFileName(tree.name) ?? "folder")));
  const local = await openLocalTree(root, flag("unverified"), signal);
  refuseTaken(invocation, await local.listBlocked(folders), "something else than a folder is there");
  const placed = await local.placeFiles(files, !tree.isEncrypted);
  const taken = placed.filter(({ state }) => state === "blocked" || (state === "changed" && !flag("force")));
  refuseTaken(
    invocation,
    taken.map((file) => file.local),
    "something else is there",
  );

  const missing = placed.filter(({ state }) => state !== "there");
  const bytes = sum(placed);
  const result = { cid: tree.cid, path: root, size: bytes, files: placed.length };
  if (isDryRun) {
    for (const file of missing) show(invocation, file);
    const left = `${missing.length} of ${placed.length} files, ${formatBytes(sum(missing))}`;
    return output.result({ ...result, written: 0 }, `Would fetch ${left} to ${root}; nothing was downloaded`, root);
  }
  if (flag("unverified")) output.warn("Nothing proves that these bytes are those of the content ids.");
  await local.createFolders(folders);
  await fetchFiles(invocation, tree, missing, local);
  const there = missing.length < placed.length ? "; the others were there" : "";
  const text = `${missing.length} of ${placed.length} files fetched to ${root}, ${formatBytes(bytes)}${there}`;
  output.result({ ...result, written: missing.length }, text, root);
}

/** Chooses the files that the filters leave, each with its path on this machine, and their folders. Throws `UNSAFE_PATHS`. */
async function chooseFiles(invocation: Invocation, tree: RemoteTree) {
  const { flag, output } = invocation;
  const keep = (await createFilter(invocation)) ?? (() => true);
  const enters = (await createWalkFilter(invocation)) ?? (() => true);
  const chosen = tree.files.filter(({ path }) => keep(path));
  const folders = tree.folders.filter((path) => keep(`${path}/`));
  const paths = [...chosen.map(({ path }) => path), ...folders];
  const toLocal = flag("safeNames") ? toSafePaths(paths) : (path: string) => path;
  const files = chosen.map((file) => ({ ...file, local: toLocal(file.path) }));
  const [localFiles, localFolders] = [files.map(({ local }) => local), folders.map(toLocal)];
  const unlisted = tree.unlisted.filter((path) => enters(`${path}/`));
  const unsafe = [
    ...findUnsafePaths(localFiles, localFolders),
    ...unlisted.map((path) => ({ path, reason: TOO_LONG })),
  ];
  for (const { path, reason } of unsafe) output.item({ path, reason }, `${clean(path)}  ${reason}`, clean(path));
  if (unsafe.length > 0) throw unsafePaths(unsafe.length);
  for (const path of tree.others.filter(keep)) {
    output.warn(`${clean(path)} is neither a file nor a folder, and is left out`);
  }
  return { files, folders: listFolders(localFiles, localFolders) };
}

const sum = (files: readonly PlacedFile[]) => files.reduce((total, { size }) => total + size, 0);

function show({ output }: Invocation, { path, local, cid, size }: PlacedFile): void {
  const renamed = local === path ? "" : `  (${clean(path)})`;
  output.item({ path: local, cid, size }, `${formatBytes(size).padStart(10)}  ${clean(local)}${renamed}`, local);
}

/** Lists paths that are taken, and ends the command before anything is written. */
function refuseTaken({ output }: Invocation, paths: readonly string[], reason: string): void {
  if (paths.length === 0) return;
  for (const path of paths) output.item({ path, reason }, `${clean(path)}  ${reason}`, clean(path));
  const hint = "--force replaces files that differ, never folders. -o names another folder.";
  throw new UsageError(
    `Something else is at ${paths.length === 1 ? "one path" : `${paths.length} paths`}. Nothing was written`,
    "FILE_EXISTS",
    hint,
  );
}

function unsafePaths(count: number): UsageError {
  const paths = count === 1 ? "One path" : `${count} paths`;
  const message = `${paths} cannot be written on every system. Nothing was written`;
  const hint = "--safe-names writes them under other names, and --exclude leaves them out.";
  return new UsageError(message, "UNSAFE_PATHS", hint);
}

/** Failures of single files, after which the others are fetched. */
const OF_ONE_FILE = [
  "HTTP_STATUS",
  "CID_MISMATCH",
  "NOT_VERIFIED",
  "INVALID_RESPONSE",
  "CANNOT_DECRYPT",
  "CANNOT_RECOVER_KEY",
  "FILE_EXISTS",
];

/** Those that may be of the whole network: after so many in a row there is no use in trying others. */
const OF_NETWORK = ["NETWORK", "TIMEOUT"];
const MAX_NETWORK_FAILURES = FILES_AT_ONCE;

async function fetchFiles(
  invocation: Invocation,
  tree: RemoteTree,
  files: readonly PlacedFile[],
  local: Awaited<ReturnType<typeof openLocalTree>>,
): Promise<void> {
  const { output, load, signal, setResume } = invocation;
  const { isKeeplightError } = await load();
  const { mapInOrder } = await import("keeplight/parts");
  const progress = createProgress(invocation, files);
  let failed = 0;
  let networkFailures = 0;

  async function fetchOne(file: PlacedFile, end: AbortSignal): Promise<void> {
    try {
      await local.write(file, (to) => tree.fetch(file, to, (seen) => progress.update(file, seen), end));
    } catch (error) {
      if (!isKeeplightError(error) && !(error instanceof UsageError)) throw error;
      const { code } = error;
      if (OF_NETWORK.includes(code)) networkFailures += 1;
      if (networkFailures > MAX_NETWORK_FAILURES || ![...OF_ONE_FILE, ...OF_NETWORK].includes(code)) throw error;
      failed += 1;
      output.item({ path: file.local, cid: file.cid, code }, `${code}  ${clean(file.local)}`);
      return;
    }
    networkFailures = 0;
    show(invocation, file);
    progress.finish(file);
  }

  setResume(typeAgain());
  try {
    for await (const _ of mapInOrder(files, { limit: FILES_AT_ONCE, signal }, fetchOne));
  } catch (error) {
    if (signal.aborted) throw new UsageError("Interrupted", "ABORTED", "What is missing is fetched again.");
    output.note("Files that are there stay: the same command fetches the others.");
    throw error;
  }
  if (failed > 0) throw new UsageError(`${failed} of ${files.length} files could not be fetched`, "INCOMPLETE");
  setResume(undefined);
}

/** Reports how far all files are together. */
function createProgress({ output, argument }: Invocation, files: readonly PlacedFile[]) {
  const total = sum(files);
  const running = new Map<PlacedFile, number>();
  let bytes = 0;
  let count = 0;

  function report(): void {
    const started = [...running].reduce((loaded, [{ size }, fraction]) => loaded + size * fraction, 0);
    const loaded = Math.min(Math.round(bytes + started), total);
    const fraction = total === 0 ? count / files.length : loaded / total;
    output.progress(argument("cid"), { phase: "downloading", loaded, total, fraction });
  }

  return {
    update(file: PlacedFile, { fraction }: Progress): void {
      running.set(file, fraction);
      report();
    },
    finish(file: PlacedFile): void {
      running.delete(file);
      bytes += file.size;
      count += 1;
      report();
    },
  };
}
