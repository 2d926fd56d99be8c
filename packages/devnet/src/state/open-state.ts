import {
  closeSync,
  existsSync,
  fstatSync,
  fsyncSync,
  ftruncateSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  writeSync,
} from "node:fs";
import { join } from "node:path";
import { invalidDevnetOption } from "../check-options.ts";
import type { State, StoredMap } from "./stored-map.ts";

export const STATE_FILE = "state.jsonl";

/** The first line of the file. */
const HEADER = JSON.stringify({ format: "keeplight-devnet-state", version: 1 });

const NEW_LINE = 0x0a;

/** About how many characters of a snapshot are written at once. */
const CHUNK_LENGTH = 1024 * 1024;

/** A line: the name of a map, a key, and its new value; without a value the key was deleted. */
type Change = readonly [map: string, key: string, value?: unknown];

type Maps = Map<string, Map<string, unknown>>;

/**
 * Opens the state in a folder that no other process uses. Its file has one line for each change, which is written, but
 * not flushed to the disk, before the change is visible: a killed process loses nothing, a machine without power may. The
 * file is written again, without what was replaced, each time it is opened.
 *
 * @throws DevnetError `INVALID_OPTION` if the file is damaged, or of another version.
 */
export function openState(dir: string): State & { close(): void } {
  const path = join(dir, STATE_FILE);
  const maps = readMaps(path);
  writeSnapshot(path, maps);
  const file = openSync(path, "a", 0o600);
  let isClosed = false;

  function append(change: Change): void {
    // the number of a closed file may be that of another one
    if (isClosed) throw new Error("The devnet is closed");
    appendWhole(file, Buffer.from(`${JSON.stringify(change)}\n`));
  }

  return {
    map<Value>(name: string): StoredMap<Value> {
      const map = (maps.get(name) ?? new Map()) as Map<string, Value>;
      maps.set(name, map);
      return {
        get size() {
          return map.size;
        },
        get: (key) => map.get(key),
        has: (key) => map.has(key),
        values: () => map.values(),
        keys: () => map.keys(),
        set(key, value) {
          append([name, key, value]);
          map.set(key, value);
        },
        delete(key) {
          if (map.has(key)) append([name, key]);
          return map.delete(key);
        },
      };
    },
    close() {
      isClosed = true;
      closeSync(file);
    },
  };
}

/** Appends bytes, or none of them: the rest of a line would spoil the next one. */
function appendWhole(file: number, bytes: Uint8Array): void {
  let written = 0;
  try {
    while (written < bytes.byteLength) written += writeSync(file, bytes, written);
  } catch (error) {
    ftruncateSync(file, fstatSync(file).size - written);
    throw error;
  }
}

/** Reads the file, if there is one. The end of a line that was being written when its process was killed is left out. */
function readMaps(path: string): Maps {
  const maps: Maps = new Map();
  if (!existsSync(path)) return maps;
  const [header, ...lines] = listLines(readFileSync(path));
  if (header !== HEADER) throw unusable(path, "is of another version, or none of a devnet");
  for (const [index, line] of lines.entries()) {
    const change = parseChange(line);
    if (!change) throw unusable(path, `is damaged in line ${index + 2}`);
    const [name, key, value] = change;
    const map = maps.get(name) ?? new Map<string, unknown>();
    maps.set(name, map);
    if (value === undefined) map.delete(key);
    else map.set(key, value);
  }
  return maps;
}

/** Lists the whole lines of a file. Each is decoded by itself: a large file is longer than a string may be. */
function listLines(bytes: Buffer): string[] {
  const lines: string[] = [];
  let start = 0;
  for (let end = bytes.indexOf(NEW_LINE); end !== -1; end = bytes.indexOf(NEW_LINE, start)) {
    lines.push(bytes.toString("utf8", start, end));
    start = end + 1;
  }
  return lines;
}

function parseChange(line: string): Change | undefined {
  try {
    const change: unknown = JSON.parse(line);
    const isChange = Array.isArray(change) && typeof change[0] === "string" && typeof change[1] === "string";
    return isChange ? (change as unknown as Change) : undefined;
  } catch {
    return undefined;
  }
}

function unusable(path: string, problem: string): Error {
  return invalidDevnetOption(`Invalid option dataDir: ${path} ${problem}`, { path });
}

/** Replaces the file as a whole: it has the old bytes or the new ones, whenever the process is killed. */
function writeSnapshot(path: string, maps: Maps): void {
  const temporary = `${path}.new`;
  rmSync(temporary, { force: true });
  // what it has are keys: for nobody else
  const file = openSync(temporary, "wx", 0o600);
  try {
    let lines = `${HEADER}\n`;
    for (const [name, map] of maps) {
      for (const [key, value] of map) {
        lines += `${JSON.stringify([name, key, value] satisfies Change)}\n`;
        if (lines.length < CHUNK_LENGTH) continue;
        appendWhole(file, Buffer.from(lines));
        lines = "";
      }
    }
    appendWhole(file, Buffer.from(lines));
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
  renameSync(temporary, path);
}
