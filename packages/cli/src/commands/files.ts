import type { Deal, ListedFile } from "keeplight";
import { UsageError } from "../frame/failure.ts";
import type { Invocation } from "../frame/invocation.ts";
import { clean, formatBytes, formatTime } from "../output/format.ts";
import { type Column, formatFacts, formatTable } from "../output/table.ts";
import { checkOnly, openAccountKit, requireConsent } from "../steps/authority.ts";
import { loadDrive } from "../steps/drive.ts";
import { type DriveNames, readDriveNames } from "../steps/drive-names.ts";
import { readWhole } from "../steps/inputs.ts";
import { listRemoteFolder } from "../steps/list-folder.ts";

const columns: readonly Column[] = [
  { title: "Name", shrinks: true },
  { title: "Size", align: "right" },
  { title: "Created", optional: true },
  { title: "", optional: true },
  { title: "Content id" },
];
/** Rows of a table that is printed at once: its columns fit these. */
const PAGE = 1_000;

export async function ls(invocation: Invocation): Promise<void> {
  const { output, flag, option, list } = invocation;
  const [folder] = list("cid");
  if (folder !== undefined) return listRemoteFolder(invocation, folder);
  const limit = readWhole(invocation, "limit") ?? Number.POSITIVE_INFINITY;
  const kit = await openAccountKit(invocation);
  const names = await readDriveNames(invocation);
  const { isDriveOwnFile } = await loadDrive();
  let page: ListedFile[] = [];
  let count = 0;
  let hasDrive = false;

  /** With `--json` and `--quiet` each file is printed at once; a table needs its rows. */
  function print(isLast: boolean): void {
    const rows = page.map((file) => toRow(file, names));
    const text = (width?: number) => (rows.length > 0 ? formatTable(columns, rows, width) : "");
    const quiet = page.map(({ cid }) => clean(cid)).join("\n");
    page = [];
    if (isLast) output.result({ count }, text, quiet);
    else output.item({}, text, quiet);
  }

  if (limit > 0) {
    // Nothing is kept of what is printed.
    for await (const file of kit.iterateFiles({ maxRows: Number.MAX_SAFE_INTEGER, storage: option("storage") })) {
      if (output.isClosed) break;
      const isOwn = isDriveOwnFile(file);
      hasDrive ||= isOwn;
      if (isOwn && !flag("all")) continue;
      count += 1;
      if (flag("json")) output.item(toItem(file, names));
      else page.push(file);
      if (count >= limit) break;
      if (page.length === PAGE) print(false);
    }
  }
  print(true);
  if (count === 0) output.note("The account has no files.");
  // Without a drive there are no names to read.
  if (hasDrive && names.problem !== undefined) output.note(`Names in the drive are hidden: ${names.problem}`);
}

function toItem({ id, cid, fileName, fileSizeInBytes, encryption, createdAt }: ListedFile, names: DriveNames) {
  const size = fileSizeInBytes === null || fileSizeInBytes === "" ? null : Number(fileSizeInBytes);
  const path = names.find(cid)?.path ?? null;
  return { id, cid, name: fileName, path, size, encrypted: encryption, createdAt };
}

function toRow({ cid, fileName, fileSizeInBytes, encryption, createdAt }: ListedFile, names: DriveNames): string[] {
  const { path, isTrashed } = names.find(cid) ?? {};
  const lock = [encryption ? "encrypted" : [], isTrashed ? "in the trash" : []].flat().join(", ");
  return [path ?? fileName ?? "?", formatBytes(fileSizeInBytes), formatTime(createdAt), lock, cid];
}

export async function pin(invocation: Invocation): Promise<void> {
  const { output, argument, option, isDryRun } = invocation;
  const kit = await openAccountKit(invocation);
  const cid = argument("cid");
  const name = option("name");
  if (isDryRun) await checkOnly((signal) => kit.pinCid(cid, { fileName: name, signal }));
  else await kit.pinCid(cid, { fileName: name });
  const about = name === undefined ? clean(cid) : `${clean(name)}  ${clean(cid)}`;
  output.result({ cid, name: name ?? null }, `${isDryRun ? "Would pin" : "Pinned"} ${about}`);
}

export async function rm(invocation: Invocation): Promise<void> {
  const { output, list, option, isDryRun } = invocation;
  const storage = option("storage");
  const kit = await openAccountKit(invocation);
  const requested = new Set(list("cid"));
  const found: ListedFile[] = [];
  for await (const file of kit.iterateFiles({ maxRows: Number.MAX_SAFE_INTEGER, storage })) {
    if (file.id !== "" && (requested.has(file.cid) || requested.has(file.id))) found.push(file);
  }
  const unknown = [...requested].filter((each) => !found.some(({ cid, id }) => each === cid || each === id));
  if (unknown.length > 0) {
    throw new UsageError(
      `No file of the account has this content id or id: ${unknown.join(", ")}`,
      "NOT_LISTED",
      "keeplight ls",
    );
  }
  const { isDriveOwnFile } = await loadDrive();
  const own = found.find(isDriveOwnFile);
  if (own) {
    const hint = "Without these files nobody knows the names of the others any more.";
    throw new UsageError(`${own.fileName} ${own.cid} is of the drive itself. Nothing was deleted`, "DRIVE_FILE", hint);
  }
  const drive = await readDriveNames(invocation);
  const nameOf = ({ cid, fileName }: ListedFile) => drive.find(cid)?.path ?? fileName;
  const names = found.slice(0, 5).map((file) => nameOf(file) ?? file.cid);
  const others = found.length > 5 ? ` and ${found.length - 5} more` : "";
  if (!isDryRun) await requireConsent(invocation, `Delete ${names.join(", ")}${others}?`);
  const verb = isDryRun ? "Would delete" : "Deleted";
  for (const file of found) {
    const { id, cid, fileName } = file;
    if (!isDryRun) await kit.deleteFile(id, { storage }).catch(explainRefusal);
    output.item({ id, cid, name: fileName }, `${verb} ${clean(nameOf(file) ?? "?")}  ${clean(cid)}`);
  }
  output.result({ count: isDryRun ? 0 : found.length });
}

/** The listing says nothing of storage classes. */
function explainRefusal(error: unknown): never {
  if (!isNotFound(error)) throw error;
  throw new UsageError(
    "The network does not find it to delete it",
    "NOT_DELETED",
    "Of Walrus: keeplight rm --storage walrus",
  );
}

function isNotFound(error: unknown): boolean {
  const { code, details } = Object(error) as { code?: unknown; details?: { status?: unknown } };
  return code === "HTTP_STATUS" && details?.status === 404;
}

export async function info({ load, call, keyCall, argument, output }: Invocation): Promise<void> {
  const kit = await load();
  const cid = argument("cid");
  const info = await kit.getFileInfo(cid, call);
  const deals = await kit.getDealStatus(cid, call);
  const access = info.encryption ? await readAccess() : undefined;
  const size = info.fileSizeInBytes === null ? null : Number(info.fileSizeInBytes);
  const result = { cid, name: info.fileName, size, type: info.mimeType ?? null, encrypted: info.encryption, deals };
  const format = () =>
    formatFacts([
      ["Name", info.fileName ?? "?"],
      ["Size", formatBytes(info.fileSizeInBytes)],
      ["Type", info.mimeType || "?"],
      ["Encrypted", info.encryption === null ? "?" : info.encryption ? "yes" : "no"],
      access && ["Owner", access.owner],
      ...(access?.sharedTo ?? []).map((address) => ["Shared with", address] as const),
      access && access.conditions.length > 0 && ["Conditions", String(access.conditions.length)],
      ...deals.map((deal) => ["Deal", describeDeal(deal)] as const),
    ]);
  output.result({ ...result, access }, format, clean(info.fileName ?? ""));

  /** The key nodes may not know a file that another client has encrypted. */
  async function readAccess() {
    try {
      const { owner, sharedTo, conditions, aggregator } = await kit.kavachGetAccessConditions(cid, keyCall);
      return { owner, sharedTo, conditions, aggregator };
    } catch (error) {
      if (!kit.isKeeplightError(error) || error.code === "ABORTED") throw error;
      output.warn(`The key nodes do not say who may open it: ${error.message}`);
      return undefined;
    }
  }
}

function describeDeal({ chainDealID, dealId, dealStatus, storageProvider, miner }: Deal): string {
  const id = chainDealID ?? dealId;
  return [id ? `${id}` : "", storageProvider || miner || "", dealStatus || ""].filter(Boolean).join("  ");
}
