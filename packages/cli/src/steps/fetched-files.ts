import { createHash } from "node:crypto";
import type { BigIntStats } from "node:fs";
import { appendFile, mkdir, readFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { makeStateFolder } from "../settings.ts";

/** `ours`: what is there was fetched as other content, or without proof, and nobody has changed it since. */
export type FetchedState = "same" | "ours" | "unknown";

/**
 * Opens the notes about the files that were fetched to a folder: which of them are there as they were written. So they need be
 * neither read nor fetched again, and no others are replaced. A file is noted under its temporary name, so that one that is at
 * its place always has its note, also if the process is killed. Notes have no paths, which may be those of encrypted files.
 *
 * @param isUnverified - whether this run fetches bytes without proof, and takes those that earlier runs fetched so
 */
export async function openFetchedFiles(root: string, isUnverified: boolean) {
  const name = hash(root).slice(0, 32);
  const place = join(await makeStateFolder(), "fetched", `${name}.txt`);
  const text = await readFile(place, "utf8").catch(() => "");
  /** Content ids by what identifies a written file, those of bytes that nothing proved after a word that says so. */
  const notes = new Map<string, string>();
  for (const line of text.split("\n")) {
    const [id = "", ...noted] = line.split(" ");
    notes.set(id, noted.join(" "));
  }
  const toUnproved = (cid: string) => `unproved ${cid}`;

  return {
    async note(path: string, cid: string, written: BigIntStats): Promise<void> {
      await mkdir(dirname(place), { recursive: true, mode: 0o700 });
      // A line that was torn by a kill must not join the next one.
      const noted = isUnverified ? toUnproved(cid) : cid;
      await appendFile(place, `\n${identify(path, written)} ${noted}`, { mode: 0o600 });
    },
    getState(path: string, cid: string, found: BigIntStats): FetchedState {
      const noted = notes.get(identify(path, found));
      if (noted === undefined) return "unknown";
      const isSame = noted === cid || (isUnverified && noted === toUnproved(cid));
      return isSame ? "same" : "ours";
    },
  };
}

/** Identifies a file at its path, as long as nobody changes it. */
function identify(path: string, { ino, size, mtimeNs }: BigIntStats): string {
  return hash(`${ino} ${size} ${mtimeNs} ${path}`);
}

const hash = (text: string) => createHash("sha256").update(text).digest("hex");
