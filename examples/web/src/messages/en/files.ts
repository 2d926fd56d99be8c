import { formatCount } from "../format.ts";

const file = { one: "file", other: "files" };

/** Texts of the files screen. */
export const files = {
  selection: "Selected files",
  selected: (count: number) => `${formatCount(count, file)} selected`,
  cids: "CIDs",
  copyCids: "Copy CIDs",
  deleteSelected: "Delete…",
  clearSelection: "Clear selection",
};
