import type { FileFacts } from "../file/file-facts.ts";

/** A file of somebody else that the account has opened, or received by a link. */
export interface SharedItem {
  cid: string;
  /** As the network or the link names it. */
  name: string;
  /** In bytes; -1 if unknown, as JSON has no NaN. */
  size: number;
  encryption: boolean;
  /** Missing for a file. */
  isFolder?: true;
  /** Address of the owner, as the key nodes report it; missing for a public file. */
  from?: string;
  /** When it was opened first, in milliseconds. */
  receivedAt: number;
}

/** Converts what the network says of a file. */
export function toSharedItem(
  cid: string,
  { fileName, size, encryption }: FileFacts,
  owner: string | undefined,
): Omit<SharedItem, "receivedAt"> {
  return {
    cid,
    name: fileName,
    size: Number.isFinite(size) ? size : -1,
    encryption,
    ...(owner === undefined ? {} : { from: owner }),
  };
}

/** Returns the items of a kept list; throws for anything else. */
export function readItems(value: unknown): SharedItem[] {
  if (!Array.isArray(value) || !value.every(isItem)) throw new Error("The list of shared files is damaged");
  return value;
}

function isItem(value: unknown): value is SharedItem {
  const { cid, name, size, encryption, isFolder, from, receivedAt } = (value ?? {}) as Record<string, unknown>;
  return (
    typeof cid === "string" &&
    typeof name === "string" &&
    typeof size === "number" &&
    typeof encryption === "boolean" &&
    (isFolder === undefined || isFolder === true) &&
    (from === undefined || typeof from === "string") &&
    typeof receivedAt === "number"
  );
}
