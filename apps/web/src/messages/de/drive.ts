import type { Messages } from "../en.ts";
import { formatCount } from "../format.ts";

const item = { one: "Eintrag", other: "Einträge" };

const file = { one: "Datei", other: "Dateien" };

const what = (name: string, count: number) => (count === 1 ? name : formatCount(count, item));

export const drive: Messages["drive"] = {
  newFolder: "Neuer Ordner",
  create: "Anlegen",
  name: "Name",
  noSlash: "Ein Name darf keinen Schrägstrich enthalten.",
  rename: "Umbenennen",
  renameTitle: (name) => `${name} umbenennen`,
  move: "Verschieben…",
  moveTitle: (name, count) => `${what(name, count)} verschieben`,
  moveHere: "Verschieben",
  folder: "Ordner",
  moved: (name, count, folder) => `${what(name, count)} nach ${folder} verschoben`,
  nameTaken: (name) =>
    `„${name}“ gibt es dort schon, deshalb wurde nichts verschoben. Bitte umbenennen und erneut versuchen.`,
  moveToTrash: "In den Papierkorb",
  trashOf: (name) => `${name} in den Papierkorb legen`,
  trashed: (name, count) => `${what(name, count)} in den Papierkorb gelegt`,
  renamed: (name) => `In ${name} umbenannt`,
  undo: "Rückgängig",
  undone: "Rückgängig gemacht",
  changedSince: "Inzwischen anderswo geändert, deshalb nicht ganz rückgängig gemacht",
  trash: "Papierkorb",
  trashCount: (count) => `Papierkorb (${count})`,
  trashLead: "Dateien im Papierkorb bleiben gespeichert und belegen Platz, bis sie endgültig gelöscht werden.",
  trashEmpty: "Der Papierkorb ist leer",
  trashEmptyHint: "Was in den Papierkorb gelegt wird, lässt sich hier wiederherstellen.",
  emptyTrash: "Papierkorb leeren…",
  restore: "Wiederherstellen",
  restoreOf: (name) => `${name} wiederherstellen`,
  restored: (name) => `${name} wiederhergestellt`,
  removeOf: (name) => `${name} endgültig löschen`,
  removeTitle: (name, count) => `${what(name, count)} endgültig löschen?`,
  removeAction: "Endgültig löschen",
  removeHint: "Mit allen Versionen und allen Links darauf. Das lässt sich nicht rückgängig machen.",
  removed: (name, count) => `${what(name, count)} gelöscht`,
  more: (count) => `und ${count} weitere`,
  emptyFolderTitle: "Dieser Ordner ist leer",
  emptyFolderHint: "Oben Dateien ablegen oder welche hierher verschieben.",
  missingTitle: "Diesen Ordner gibt es hier nicht mehr",
  missingHint: "Er wurde vielleicht umbenannt, verschoben oder gelöscht.",
  showFiles: "Alle Dateien zeigen",
  unavailable: "Die Ordner lassen sich nicht öffnen",
  unavailableHint:
    "Die Dateien stehen hier unter den Namen, die das Netz kennt. Verschlüsselte Uploads warten bis zum nächsten Versuch.",
  versions: "Versionen",
  versionsHint:
    "Geöffnet wird die aktuelle Version. Ältere bleiben gespeichert, bis die Datei endgültig gelöscht wird.",
  currentVersion: "Aktuell",
  restoreVersion: (time) => `Version vom ${time} wiederherstellen`,
  downloadVersion: (time) => `Version vom ${time} herunterladen`,
  versionRestored: (time) => `Version vom ${time} wiederhergestellt`,
  replaceTitle: (name, count) =>
    count === 1 ? `${name} ist schon in diesem Ordner` : `${formatCount(count, file)} sind schon in diesem Ordner`,
  replaceHint: "Beim Ersetzen bleibt die ältere Version erhalten: Die Seite der Datei zeigt alle Versionen.",
  replace: "Ersetzen",
  keepBoth: "Beide behalten",
  matches: (count) => formatCount(count, { one: "Treffer", other: "Treffer" }),
  inFolder: (path) => `In ${path}`,
};
