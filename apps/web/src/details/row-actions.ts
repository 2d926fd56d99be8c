import type { Row } from "../drive/rows.ts";

/** What can be done with rows of the list. */
export interface RowActions {
  rename(row: Row): void;
  /** Whether all of them can be moved. */
  canMove(rows: readonly Row[]): boolean;
  move(rows: readonly Row[]): void;
  /** Shares encrypted files with one address. */
  share(rows: readonly Row[]): void;
  /** Moves what is in the drive to the trash, and asks before the rest is deleted. */
  remove(rows: readonly Row[]): void;
  /** Clears the selection. */
  clear(): void;
  showKeys(): void;
}
