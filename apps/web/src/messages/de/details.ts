import type { Messages } from "../en.ts";
import { formatCount } from "../format.ts";

export const details: Messages["details"] = {
  title: "Details",
  emptyTitle: "Keine Datei ausgewählt",
  emptyHint: "Eine Zeile anklicken oder per Tastatur ansteuern, um ihre Details zu sehen.",
  fileCount: "Dateien",
  folderCount: "Ordner",
  totalSize: "Gesamtgröße",
  people: "Zugriff",
  anyone: "Alle, die die CID kennen",
  onlyYou: "Nur dieses Konto",
  you: "Dieses Konto",
  notListed: "Prüfen nicht möglich",
  more: (count) => `und ${count} weitere`,
  links: (count) => formatCount(count, { one: "Link", other: "Links" }),
  noFact: "–",
  open: "Öffnen",
  downloadOf: (name) => `${name} herunterladen`,
};
