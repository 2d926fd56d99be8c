import { isObject } from "../../plan/text-lines.ts";

/** The first line of a snapshot. */
export interface SnapshotHeader {
  /** Id of the backup set. */
  set: string;
  /** Name of the backup set, for people. */
  name: string;
  /** When it was created, in milliseconds since 1970. */
  createdAt: number;
  /** How many files the snapshot has. */
  files: number;
  /** Size of all files, in bytes. */
  bytes: number;
  /** Master key of all files, 64 hex digits; absent if they are stored as they are. */
  key?: string;
}

const TYPE = "keeplight snapshot";
const VERSION = 1;

/** The longest header, in bytes. */
export const MAX_HEADER_BYTES = 4_096;

/** Makes the line of a header. */
export function toHeaderLine(header: SnapshotHeader): object {
  return { type: TYPE, version: VERSION, ...header };
}

/** Whether a value is the first line of a snapshot, of whatever version. */
export function isHeader(value: unknown): value is Record<string, unknown> {
  return isObject(value) && value["type"] === TYPE;
}

/** Reads a header, which anyone may have written. Returns what is wrong with a malformed one. */
export function parseHeader(value: unknown): SnapshotHeader | string {
  if (!isHeader(value)) return "it is another file";
  if (value["version"] !== VERSION) return "a later version of this package wrote it";
  const { set, name, createdAt, files, bytes, key } = value;
  const isKey = key === undefined || (typeof key === "string" && /^[0-9a-f]{64}$/.test(key));
  if (
    !isSetId(set) ||
    typeof name !== "string" ||
    !isCount(createdAt) ||
    !isCount(files) ||
    !isCount(bytes) ||
    !isKey
  ) {
    return "its first line is malformed";
  }
  return { set, name, createdAt, files, bytes, ...(key === undefined ? {} : { key }) };
}

/** Whether a value is the id of a backup set. */
function isSetId(value: unknown): value is string {
  return typeof value === "string" && /^[0-9a-f]{16}$/.test(value);
}

function isCount(value: unknown): value is number {
  return Number.isSafeInteger(value) && Number(value) >= 0;
}
