import type { UploadEntry, UploadState } from "@keeplight/react";
import { isUnfinished } from "keeplight";
import { isNameRefused } from "../messages/explain-error.ts";
import { type ListName, listNames, type useUploadLists } from "./use-upload-lists.ts";

/** An upload of any list. */
export interface TrayEntry {
  entry: UploadEntry;
  list: ListName;
}

/** What needs attention first: what went wrong, what runs, what is next, what is over. */
const ranks: Record<UploadState["status"], number> = { failed: 0, running: 2, waiting: 3, aborted: 4, done: 5 };
/** Of what is stored, but whose key is not on all nodes. */
const UNREPAIRED_RANK = 1;

/** Returns the uploads of all lists in the order in which they are shown. */
export function sortEntries(lists: ReturnType<typeof useUploadLists>): TrayEntry[] {
  const entries = listNames.flatMap((list) => lists[list].uploads.map((entry) => ({ entry, list })));
  return entries.sort((one, other) => rank(one.entry) - rank(other.entry));
}

function rank(entry: UploadEntry): number {
  const { status } = entry.state;
  return status === "done" && countNodes(entry) !== undefined ? UNREPAIRED_RANK : ranks[status];
}

/** Whether to try an upload again may help. */
export function isRetryable({ state }: UploadEntry): boolean {
  return state.status === "aborted" || (state.status === "failed" && !isNameRefused(state.error));
}

/** On how many nodes the key of an upload is, if it is not on all five. */
export function countNodes({ state }: UploadEntry): number | undefined {
  if (state.status === "done") {
    const missing = state.files.map(({ nodesMissing = [] }) => nodesMissing.length);
    const most = Math.max(0, ...missing);
    return most === 0 ? undefined : 5 - most;
  }
  if (state.status !== "failed" || !isUnfinished(state.error)) return undefined;
  const unfinished = state.error.details["unfinished"] as readonly { nodesDone?: readonly number[] }[] | undefined;
  // Of a folder whose manifest is missing, all keys are saved.
  const counts = unfinished?.flatMap(({ nodesDone }) => nodesDone?.length ?? []) ?? [];
  return counts.length === 0 ? undefined : Math.min(...counts);
}

/** Whether files are stored, or may be, whose keys are not saved. */
export function hasUnsavedKeys(state: UploadState): boolean {
  return state.status === "failed" && isUnfinished(state.error);
}
