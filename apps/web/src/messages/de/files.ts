import type { Messages } from "../en.ts";
import { formatCount } from "../format.ts";

const file = { one: "Datei", other: "Dateien" };
const item = { one: "Eintrag", other: "Einträge" };

export const files: Messages["files"] = {
  title: "Dateien",
  add: "Dateien wählen",
  addFolder: "Ordner wählen",
  drop: "Dateien oder Ordner hier ablegen",
  dropTouch: "Dateien oder Ordner hinzufügen",
  encryptedHint: "Auf dem Gerät verschlüsselt. Öffnen kann sie nur, wer sie hochlädt oder Zugriff erhält.",
  publicHint: "Nicht verschlüsselt. Wer die CID kennt, kann sie lesen.",
  uploadAs: "Hochladen als",
  encrypted: "Verschlüsselt",
  isPublic: "Öffentlich",
  tooLarge: (needed, left) => `Nicht genug Speicher: ${needed} nötig, ${left} frei.`,
  emptyFolders: (names) =>
    names.length === 1
      ? `„${names[0]}“ ist leer: Es gibt nichts hochzuladen.`
      : `${names.length} Ordner sind leer: Es gibt nichts hochzuladen.`,
  unreadable: (names) =>
    names.length === 1
      ? `„${names[0]}“ ist nicht lesbar und wurde nicht hinzugefügt.`
      : `${names.length} Einträge sind nicht lesbar und wurden nicht hinzugefügt.`,
  buyStorage: "Speicher kaufen",
  yours: "Eigene Dateien",
  count: (count) => formatCount(count, file),
  itemCount: (count) => formatCount(count, item),
  soFar: " bis jetzt…",
  emptyTitle: "Noch keine Dateien",
  emptyHint: "Zum Anfangen oben eine Datei ablegen.",
  emptyHintTouch: "Zum Anfangen oben eine Datei wählen.",
  noMatchTitle: "Keine passenden Dateien",
  noMatchHint: "Bitte mit einem anderen Namen oder einer anderen CID versuchen.",
  search: "Suchen",
  searchLabel: "Eigene Dateien durchsuchen",
  show: "Anzeigen",
  filters: {
    all: "Alle Dateien",
    encrypted: "Verschlüsselt",
    public: "Öffentlich",
    image: "Bilder",
    media: "Video & Audio",
    document: "Dokumente",
  },
  sortBy: "Sortieren nach",
  sortings: {
    newest: "Neue zuerst",
    oldest: "Alte zuerst",
    name: "Name, A bis Z",
    "name-descending": "Name, Z bis A",
    largest: "Große zuerst",
    smallest: "Kleine zuerst",
  },
  name: "Name",
  access: "Zugriff",
  size: "Größe",
  added: "Hinzugefügt",
  cid: "CID",
  actions: "Aktionen",
  selectAll: "Alle Dateien auswählen",
  select: (name) => `${name} auswählen`,
  cidOf: (name) => `CID von ${name}`,
  viewOnGateway: (name) => `${name} über das Gateway ansehen`,
  delete: (name) => `${name} löschen`,
  unfinished: "Upload nicht abgeschlossen",
  sharedWith: (address) => `Geteilt mit ${address}`,
  sharedWithCount: (count) => `Geteilt mit ${formatCount(count, { one: "Person", other: "Personen" })}`,
  storedAs: (status) => `Gespeichert · ${status}`,
  selection: "Ausgewählte Dateien",
  selected: (count) => `${formatCount(count, file)} ausgewählt`,
  cids: "CIDs",
  copyCids: "CIDs kopieren",
  deleteSelected: "Löschen…",
  clearSelection: "Auswahl aufheben",
  deleteFolderTitle: "Diesen Ordner löschen?",
  deleteItemsTitle: (count) => `${formatCount(count, item)} löschen?`,
  deleteItemsAction: (count) => `${formatCount(count, item)} löschen`,
  deleteFolderHint: (count) => `Mit ${formatCount(count, file)} darin.`,
  deleteListing: "Inhalt wird aufgelistet…",
  deleteEntryHint: (count) =>
    count === 1
      ? "Es lässt sich nicht prüfen, welche Dateien in diesem Ordner sind. Nur sein Eintrag wird gelöscht; die Dateien bleiben."
      : `Bei ${count} Ordnern lässt sich nicht prüfen, welche Dateien darin sind. Nur ihre Einträge werden gelöscht; die Dateien bleiben.`,
  deleteEntryAction: "Nur den Eintrag löschen",
  deleteTitle: (count) => (count === 1 ? "Diese Datei löschen?" : `${formatCount(count, file)} löschen?`),
  deleteAction: (count) => (count === 1 ? "Löschen" : `${formatCount(count, file)} löschen`),
  deleteMore: (count) => `und ${formatCount(count, { one: "weitere", other: "weitere" })}`,
  deleteHint: (size, count) => `${count === 1 ? "" : "Zusammen "}${size}. Das lässt sich nicht rückgängig machen.`,
  deleted: (name) => `${name} gelöscht`,
  deletedCount: (count) => `${formatCount(count, file)} gelöscht`,
  deletedPart: (count, all) => `${count} von ${formatCount(all, file)} gelöscht.`,
  unnamed: "Datei",
};
