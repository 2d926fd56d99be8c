import { setTimeout } from "node:timers/promises";
import { expect, test } from "vitest";
import { writeTree } from "../../../test/support/files.ts";
import { openDriveOf } from "./drive-of.ts";
import { finish, type Person, parseEvents, rigForTests } from "./rig.ts";

// `up -e` of a folder is killed with -9 at random moments of its run, then `keeplight resume` completes it.

const KILLS = Number(process.env["KILLS"] ?? 5);
const FILES = 4;
/** So that most of the run is work, not the start of the process. */
const slowly = { KEEPLIGHT_PAUSE_MS: "150" };

const rig = rigForTests();

interface Round {
  isKilled: boolean;
  isResumed: boolean;
  /** How long the command ran, in milliseconds. */
  ranMs: number;
  /** Files that did not open, or not with their content. */
  lost: string[];
}

const toPath = (round: number, at: number) => `letters-${round}/r${round}-${at}.txt`;

/** Lists the content ids of the files of a round that are in the drive, in their order. */
async function listCids(person: Person, round: number): Promise<string[]> {
  const rows = await person.events(["ls"]);
  const cids = Array.from({ length: FILES }, (_, at) => rows.find(({ path }) => path === toPath(round, at))?.["cid"]);
  return cids.flatMap((cid) => (cid === undefined ? [] : String(cid)));
}

/** Uploads a folder and kills the command after `delayMs`; completes the upload and opens every file. */
async function killRound(person: Person, round: number, delayMs: number): Promise<Round> {
  const contents = Array.from({ length: FILES }, (_, at) => `${round} ${at} `.repeat(at === 0 ? 2_000_000 : 10));
  const files = Object.fromEntries(contents.map((content, at) => [toPath(round, at), content]));
  await writeTree(person.cwd, files);
  const args = ["up", "-e", `letters-${round}`, "--json"];
  const startedAt = performance.now();
  const child = person.start(args, { env: slowly });
  const ended = finish(child);
  await Promise.race([setTimeout(delayMs), ended]);
  const ranMs = performance.now() - startedAt;
  child.kill("SIGKILL");
  const { code, stdout } = await ended;
  const isKilled = code !== 0;
  // The last line may be cut.
  const finished = parseEvents(stdout.slice(0, stdout.lastIndexOf("\n") + 1));
  let cids = finished.flatMap(({ event, cid }) => (event === "item" ? [String(cid)] : []));
  const resumed = await person.events(["resume"]);
  expect(resumed.at(-1)).toMatchObject({ event: "result", open: 0 });
  const again = resumed.flatMap(({ event, cids: found }) => (event === "item" ? (found as string[]) : []));
  const isResumed = again.length > 0;
  if (isResumed) cids = again;
  // Killed while the list of the drive was stored: all files are in it.
  else if (cids.length < FILES) cids = await listCids(person, round);
  // Killed before anything was sent: the command is simply run again.
  if (cids.length < FILES) {
    const events = await person.events(args);
    cids = events.flatMap(({ event, cid }) => (event === "item" ? [String(cid)] : []));
  }
  const lost: string[] = [];
  for (const [at, content] of contents.entries()) {
    const { stdout: opened } = await person.run(["decrypt", cids[at] ?? "", "-o", "-"]);
    if (opened !== content) lost.push(`round ${round}, file ${at}, killed after ${delayMs} ms`);
  }
  return { isKilled, isResumed, ranMs, lost };
}

test(`${KILLS} uploads that were killed are completed, and every file opens`, async () => {
  const person = await rig().createPerson();
  const whole = await killRound(person, 0, 600_000);
  expect(whole).toMatchObject({ isKilled: false, lost: [] });
  const rounds: Round[] = [];
  for (let round = 1; round <= KILLS; round++) rounds.push(await killRound(person, round, Math.random() * whole.ranMs));
  const count = (which: (round: Round) => boolean) => rounds.filter(which).length;
  console.log(
    `${count(({ isKilled }) => isKilled)} killed, ${count(({ isResumed }) => isResumed)} resumed of ${KILLS}`,
  );
  expect(rounds.flatMap(({ lost }) => lost)).toEqual([]);
  expect(rounds).toHaveLength(KILLS);
  // Each is in the drive under its real name, once.
  const drive = await openDriveOf(person);
  const files = drive.listAll().filter(({ type }) => type === "file");
  const names = Array.from({ length: (KILLS + 1) * FILES }, (_, at) => toPath(Math.floor(at / FILES), at % FILES));
  expect(files.map(({ path }) => path).sort()).toEqual(names.sort());
  expect(files.filter((file) => drive.versions(file).length > 1)).toEqual([]);
  await drive.close();
}, 3_600_000);
