import { createShareLink } from "@keeplight/recovery";
import { Wallet } from "ethers";
import { type Endpoints, openJournal } from "keeplight";
import { createRandom } from "../../../test/simulation/random.ts";
import { type Drive, type DriveEntry, openDrive, openSession } from "../src/index.ts";

// Runs in a page: works with a drive until the page is killed, and tells the test's server of every call, before it and after.

/** A drive as a page opens it. */
export interface PageAccount {
  endpoints: Endpoints;
  apiKey: string;
  privateKey: string;
  /** Name of the journal. */
  journal: string;
}

/** What the page asks a drive for; `names` are of files, which have them in their text. */
export type PageCall =
  | { do: "add"; folder: string; names: string[] }
  | { do: "move"; path: string; folder: string }
  | { do: "rename"; path: string; name: string }
  | { do: "share"; path: string };

/** What the page tells the test's server. */
export interface PageEvent {
  id: number;
  call: PageCall;
  phase: "started" | "done" | "failed";
  /** Paths of what the call returned, or why it failed. */
  outcome?: string[] | undefined;
}

/** What a page does until it is killed. */
export interface PageWork {
  seed: string;
  folders: string[];
  /** Files that may be moved, renamed and shared. */
  paths: string[];
  shareTo: string;
}

/** What a page found when it opened its drive again. */
export interface PageFindings {
  /** Before anything was resumed. */
  opened: string[];
  /** Why operations could not be resumed. */
  failed: string[];
  /** After all was resumed. */
  resumed: string[];
  /** Its folders then. */
  folders: string[];
  /** Names of stored files that the drive lacks. */
  loose: string[];
  /** Operations that are still open, by their kind. */
  left: string[];
  problems: string[];
}

const LONGEST_REPEAT = 2_000;

/** The text of a file: long or short, as its name has it. */
export const textOf = (name: string): string =>
  `${name} `.repeat(1 + ((Number.parseInt(name, 36) || 0) % LONGEST_REPEAT));

const toFile = (name: string) => new File([textOf(name)], name, { lastModified: 1_700_000_000_000 });

async function openAccount({ journal: name, privateKey, ...account }: PageAccount) {
  const journal = await openJournal({ name });
  const options = { ...account, signer: new Wallet(privateKey), pauseMs: 0, retryMs: 0 };
  return { journal, options, drive: await openDrive({ ...options, journal }) };
}

const post = (event: PageEvent) => fetch("/events", { method: "POST", body: JSON.stringify(event) });

/** Paths of all files, sorted. */
const listPaths = (drive: Drive) =>
  drive
    .search("")
    .flatMap(({ type, path }) => (type === "file" ? path : []))
    .sort();

/** Opens the drive, and creates folders. */
export async function prepare(account: PageAccount, folders: readonly string[]): Promise<void> {
  const { drive } = await openAccount(account);
  for (const folder of folders) await drive.createFolder(folder);
  await drive.close();
}

/** Changes a drive in every way at once, without an end. */
export async function work(account: PageAccount, { seed, folders, paths, shareTo }: PageWork): Promise<void> {
  const random = createRandom(seed);
  const { drive } = await openAccount(account);
  const known = [...paths];
  let calls = 0;

  async function call(asked: PageCall, run: () => Promise<readonly DriveEntry[]>): Promise<string[]> {
    const id = calls++;
    await post({ id, call: asked, phase: "started" });
    try {
      const outcome = (await run()).map(({ path }) => path);
      await post({ id, call: asked, phase: "done", outcome });
      return outcome;
    } catch (error) {
      await post({ id, call: asked, phase: "failed", outcome: [String(error)] });
      return [];
    }
  }

  async function add(): Promise<void> {
    const names = Array.from(
      { length: 1 + random.below(3) },
      (_, at) => `${random.below(36 ** 6).toString(36)}${at}.txt`,
    );
    const folder = random.pick(folders);
    known.push(...(await call({ do: "add", folder, names }, () => drive.add(names.map(toFile), { folder }))));
  }

  /** Changes a file that no other call changes meanwhile. */
  async function change(): Promise<void> {
    const [path] = known.splice(random.below(known.length), 1);
    if (path === undefined) return pause(20);
    const name = `${random.below(36 ** 6).toString(36)}r.txt`;
    const folder = random.pick(folders);
    const kind = random.pick(["move", "rename", "share"] as const);
    const changed =
      kind === "move"
        ? await call({ do: "move", path, folder }, async () => [await drive.move(path, folder)])
        : kind === "rename"
          ? await call({ do: "rename", path, name }, async () => [await drive.rename(path, name)])
          : await call({ do: "share", path }, () => drive.share(path, { shareTo }).then(() => []));
    known.push(...(kind === "share" ? [path] : changed));
  }

  async function forEver(step: () => Promise<unknown>): Promise<never> {
    for (;;) await step();
  }
  await Promise.all([
    forEver(add),
    forEver(change),
    forEver(change),
    forEver(async () => {
      await pause(random.below(600));
      await drive.sync();
    }),
  ]);
}

const pause = (milliseconds: number) => new Promise<void>((resolve) => setTimeout(resolve, milliseconds));

/** Opens the drive again, and completes what was interrupted. */
export async function resume(
  account: PageAccount,
  names: readonly string[],
  syncFirst: boolean,
): Promise<PageFindings> {
  const { drive, journal, options } = await openAccount(account);
  const opened = listPaths(drive);
  if (syncFirst) await drive.sync();
  const reports = await journal.resumeAll({ ...options, ...(names.length > 0 && { source: names.map(toFile) }) });
  await drive.sync();
  const resumed = listPaths(drive);
  const folders = drive.search("").flatMap(({ type, path }) => (type === "folder" ? path : []));
  const loose = (await drive.listLoose()).map(({ fileName }) => fileName ?? "");
  const left = (await journal.list()).map((operation) => operation.kind);
  const failed = reports.flatMap((report) => ("error" in report ? String(report.error) : []));
  const problems = drive.status().problems.map(({ kind }) => kind);
  await drive.close();
  return { opened, failed, resumed, folders, loose, left, problems };
}

/** Files with telling names. */
export interface PrivateWork {
  folder: string;
  files: string[];
  /** What is searched for, and the new name of the first file. */
  search: string;
  renamed: string;
  /** What is kept in clear, so that whoever looks for it finds it. */
  control: string;
}

/** Works with a drive as a person would, who then closes the browser. */
export async function workPrivately(account: PageAccount, job: PrivateWork): Promise<string[]> {
  const { folder, files, search, renamed, control } = job;
  const { drive } = await openAccount(account);
  await drive.createFolder(folder);
  const [first] = await drive.add(files.map(toFile), { folder });
  if (!first) throw new Error("Nothing was added");
  const found = drive.search(search).map(({ path }) => path);
  await drive.sync();
  await drive.rename(first, renamed);
  await drive.sync();
  // Is stored by nobody but the journal when the browser is closed.
  await drive.createFolder(`${folder}/${folder}`);
  const opening = indexedDB.open("control", 1);
  opening.onupgradeneeded = () => opening.result.createObjectStore("values");
  await new Promise((resolve) => (opening.onsuccess = resolve));
  const transaction = opening.result.transaction("values", "readwrite");
  transaction.objectStore("values").put({ control }, "control");
  await new Promise((resolve) => (transaction.oncomplete = resolve));
  return found;
}

/** Signs in as a person would, works with the drive, and signs out. Returns the secrets of the session. */
export async function signInAndOut(
  { endpoints, privateKey }: PageAccount,
  { folder, files }: PrivateWork,
): Promise<{ apiKey: string; linkKey: string; linkSecret: string; status: string }> {
  const session = await openSession({ endpoints });
  await session.signIn({ signer: new Wallet(privateKey) });
  const state = session.state();
  if (state.status !== "signed-in" || !state.options.journal) throw new Error("Not signed in");
  const drive = await openDrive({ ...state.options, journal: state.options.journal, pauseMs: 0 });
  const [first] = await drive.add(files.map(toFile), { folder });
  if (!first) throw new Error("Nothing was added");
  const page = "https://app.example/";
  const { signer } = state.options;
  const [received] = await drive.receive(await createShareLink(first.cid, { signer, endpoints, page, pauseMs: 0 }));
  const { url } = await drive.createLink(first, { page });
  await drive.receive(url);
  const linkSecret = new URLSearchParams(url.slice(url.indexOf("#") + 1)).get("secret") ?? "";
  await drive.sync();
  await drive.close();
  await session.signOut();
  return { apiKey: state.options.apiKey, linkKey: received?.key ?? "", linkSecret, status: session.state().status };
}
