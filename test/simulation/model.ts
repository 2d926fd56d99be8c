import type { Client } from "./client.ts";
import type { NodeFiles } from "./services.ts";

/** Whether an address may open a file: `unknown` if a call about it was not completed. */
export type Expected = "in" | "out" | "unknown";

/** A change of who may open a file. */
export type Change =
  | { kind: "share"; to: string }
  | { kind: "revoke"; to: string }
  | { kind: "conditions"; value: number }
  | { kind: "transfer"; to: string; resets: boolean }
  | { kind: "repair" };

/** What should be true of one stored file. */
export interface ModelFile {
  cid: string;
  name: string;
  bytes: Uint8Array;
  /** Address. */
  owner: string;
  access: Map<string, Expected>;
  /** Value in the condition that was set last; `undefined` if it is unknown. */
  condition: number | undefined;
  /** The changes that are half done. */
  pending: readonly PendingChange[];
  /** The latest change of each subject. */
  latest: Map<string, Change>;
}

/** A change that is half done, and its entry in the owner's journal. */
interface PendingChange {
  change: Change;
  entry: string;
  /** The process that made it. */
  client: Client;
}

/** What a change is about: of two changes of one subject the later one counts, even if the earlier one ends later. */
function toSubject(change: Change): string {
  return change.kind === "share" || change.kind === "revoke" ? change.to : change.kind;
}

/** Applies a change that was completed. */
export function completeChange(file: ModelFile, change: Change): void {
  if (file.latest.get(toSubject(change)) !== change) return;
  switch (change.kind) {
    case "share":
      file.access.set(change.to, "in");
      break;
    case "revoke":
      file.access.set(change.to, "out");
      break;
    case "conditions":
      file.condition = change.value;
      break;
    case "transfer":
      for (const [address] of file.access) if (change.resets) file.access.set(address, "out");
      // Who was shared to before becoming the owner may still be.
      file.access.set(file.owner, change.resets ? "out" : "unknown");
      file.owner = change.to;
      break;
    case "repair":
      break;
  }
}

/** Makes unknown what a change that is half done, or is about to be made, may have changed. */
export function startChange(file: ModelFile, change: Change): void {
  file.latest.set(toSubject(change), change);
  if (change.kind === "share" || change.kind === "revoke") file.access.set(change.to, "unknown");
  if (change.kind === "conditions") file.condition = undefined;
  if (change.kind === "transfer") for (const [address] of file.access) file.access.set(address, "unknown");
}

/** Lists the addresses that a file is being transferred to. */
export function listNewOwners(pending: ModelFile["pending"]): string[] {
  return pending.flatMap(({ change }) => (change.kind === "transfer" ? [change.to] : []));
}

/** Whether a node has carried out a change. */
export function isCarriedOut(files: NodeFiles, cid: string, change: Change): boolean {
  const stored = files.get(cid);
  if (!stored) return false;
  switch (change.kind) {
    case "share":
      return stored.sharedTo.includes(change.to) || stored.owner === change.to;
    case "revoke":
      return !stored.sharedTo.includes(change.to);
    case "conditions":
      return readCondition(files, cid) === change.value;
    case "transfer":
      return stored.owner === change.to;
    case "repair":
      return true;
  }
}

/** Reads the value of a file's condition on one node; 0 if it has none. */
export function readCondition(files: NodeFiles, cid: string): number {
  const [first] = files.get(cid)?.access?.conditions ?? [];
  return Number((first?.["returnValueTest"] as { value?: unknown } | undefined)?.value ?? 0);
}
