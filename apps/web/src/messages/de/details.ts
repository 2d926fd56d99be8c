import type { Messages } from "../en.ts";
import { formatCount } from "../format.ts";

const item = { one: "Eintrag", other: "Einträge" };

export const details: Messages["details"] = {
  title: "Details",
  empty: "Eine Datei auswählen, um ihre Details zu sehen.",
  selected: (count) => `${formatCount(count, item)} ausgewählt`,
  totalSize: "Gesamtgröße",
  people: "Zugriff haben",
  anyone: "Alle, die die CID kennen",
  onlyYou: "Nur dieses Konto",
  you: "Dieses Konto",
  ownFolder: "Zum Teilen den Ordner öffnen.",
  notListed: "Prüfen nicht möglich",
  more: (count) => `und ${count} weitere`,
  links: (count) => formatCount(count, { one: "Link", other: "Links" }),
  noKey: "Nicht verschlüsselt",
  noFact: "–",
  open: "Öffnen",
  move: "Verschieben…",
};
