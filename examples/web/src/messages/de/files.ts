import type { Messages } from "../en.ts";
import { formatCount } from "../format.ts";

const file = { one: "Datei", other: "Dateien" };

export const files: Messages["files"] = {
  selection: "Ausgewählte Dateien",
  selected: (count) => `${formatCount(count, file)} ausgewählt`,
  cids: "CIDs",
  copyCids: "CIDs kopieren",
  deleteSelected: "Löschen…",
  clearSelection: "Auswahl aufheben",
};
