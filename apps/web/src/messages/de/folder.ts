import type { Messages } from "../en.ts";
import { formatCount } from "../format.ts";

const item = { one: "Eintrag", other: "Einträge" };
const file = { one: "Datei", other: "Dateien" };

export const folder: Messages["folder"] = {
  places: "Übergeordnete Ordner",
  count: (count) => formatCount(count, item),
  loading: "Wird geladen…",
  soFar: (count) => `${formatCount(count, item)} bis jetzt…`,
  emptyTitle: "Dieser Ordner ist leer",
  emptyHint: "In ihm wurde nichts gespeichert.",
  noFolderTitle: "Das ist kein Ordner",
  noFolderHint: "Hier ist eine einzelne Datei gespeichert, oder etwas nicht Lesbares.",
  showFile: "Datei anzeigen",
  cid: "CID",
  name: "Name",
  size: "Größe",
  actions: "Aktionen",
  unreadable: "Verknüpfung oder besondere Datei",
  isFolder: "Ordner",
  copyLink: "Link kopieren",
  link: "Link",
  download: "Als ZIP herunterladen",
  downloading: "Ordner wird heruntergeladen",
  listing: (count) => `${formatCount(count, file)} gefunden…`,
  cancelDownload: "Download abbrechen",
  downloadCancelled: (name) => `Download von ${name} abgebrochen`,
  saved: (name, skipped) =>
    skipped === 0
      ? `${name} gespeichert`
      : `${name} gespeichert, ohne ${formatCount(skipped, item)}, die keine Dateien sind`,
  share: "Teilen",
  shareTitle: (count) => `Diesen Ordner teilen (${formatCount(count, file)})`,
  addressHint: "Diese Adresse kann den Ordner und alle Dateien darin öffnen.",
  notShared: "Noch kann niemand sonst diesen Ordner öffnen.",
  outdated: (count) =>
    `Der Ordner wurde geändert, seit er mit ${formatCount(count, { one: "Person", other: "Personen" })} geteilt wurde. Dort lässt sich öffnen, was damals darin war.`,
  shareChanges: "Änderungen teilen",
  sharedBefore:
    "Teilen lassen sich nur verschlüsselte Dateien, und dieser Ordner hat andere oder keine. Früher gegebener Zugriff lässt sich hier entziehen.",
  notEncrypted: (name) => ({
    title: `„${name}“ ist nicht verschlüsselt`,
    advice: "Alle können sie öffnen. Um den Rest zu teilen, bitte aus dem Ordner verschieben.",
  }),
  changing: (percent) => `Die Schlüsselknoten werden aktualisiert… ${percent}`,
  changingLabel: "Die Schlüsselknoten werden aktualisiert",
  remaining: (count) => `${formatCount(count, file)} noch nicht aktualisiert.`,
  retryRemaining: "Rest erneut versuchen",
  notThere: { title: "Nicht in diesem Ordner", advice: "Bitte den Link prüfen oder den Ordner darüber öffnen." },
  tooLarge: (size, limit) => ({
    title: "Der Ordner ist zu groß für diesen Browser",
    advice: `Er ist ${size} groß; dieser Browser kann Archive bis ${limit} speichern. Bitte Chrome oder Edge verwenden oder die Dateien einzeln speichern.`,
  }),
  tooMany: (limit) => ({
    title: "Zu viele Dateien für ein Archiv",
    advice: `Ein Archiv fasst bis zu ${formatCount(limit, file)}. Bitte die Unterordner einzeln herunterladen.`,
  }),
  wrongSize: {
    title: "Eine Datei ist nicht so groß, wie ihr Ordner angibt",
    advice: "Es wurde kein Archiv gespeichert. Bitte die Dateien einzeln öffnen.",
  },
  tooDeep: {
    title: "Der Ordner ist zu tief verschachtelt",
    advice: "Bitte einen Unterordner öffnen und diesen herunterladen.",
  },
};
