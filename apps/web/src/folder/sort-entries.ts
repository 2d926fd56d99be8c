import type { ShownEntry } from "./folder-row.tsx";

const names = new Intl.Collator(undefined, { numeric: true, sensitivity: "base" });

/** Returns entries as a folder shows them: folders first, then by name. */
export function sortEntries<Entry extends Pick<ShownEntry, "name" | "type">>(entries: readonly Entry[]): Entry[] {
  const rank = ({ type }: Entry) => (type === "folder" ? 0 : 1);
  return [...entries].sort((one, other) => rank(one) - rank(other) || names.compare(one.name, other.name));
}
