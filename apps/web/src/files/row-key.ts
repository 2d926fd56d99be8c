import type { Row } from "../drive/rows.ts";

/** Returns what a row is known by while the list changes: its id; a folder that is not stored yet has none. */
export function getRowKey({ id, cid }: Row): string {
  return id || cid;
}
