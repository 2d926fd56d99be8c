import type { Messages } from "../en.ts";
import { formatCount } from "../format.ts";

export const contacts: Messages["contacts"] = {
  title: "Kontakte",
  lead: "Wallet-Adressen Namen geben und beim Teilen nach Namen auswählen. Die Liste ist verschlüsselt, auf allen Geräten dieses Kontos und nur für dieses Konto sichtbar.",
  add: "Kontakt hinzufügen",
  edit: (who) => `${who} bearbeiten`,
  remove: (who) => `${who} löschen`,
  removed: (name) => `${name} gelöscht`,
  save: "Speichern",
  saved: (name) => `${name} gespeichert`,
  address: "Wallet-Adresse",
  addressHint: "Bitte ganz mit der Angabe der Person vergleichen.",
  addressOf: (who) => `Adresse von ${who}`,
  invalid: "Die Adresse enthält einen Tippfehler. Bitte noch einmal kopieren.",
  known: (name) => `Diese Adresse hat schon einen Namen: ${name}`,
  nameHint: "Nur für dieses Konto sichtbar. Bis zu 100 Zeichen.",
  note: "Notiz (optional)",
  noteHint: "Zum Beispiel, wie die Adresse geprüft wurde.",
  hidden: "Bitte Zeichen entfernen, die unsichtbar sind oder den Text umordnen.",
  searchLabel: "Kontakte durchsuchen",
  emptyTitle: "Noch keine Kontakte",
  emptyHint: "Eine Adresse einmal benennen, danach genügt der Name, wo nach einer Adresse gefragt wird.",
  noMatchTitle: "Kein passender Kontakt",
  noMatchHint: "Bitte einen anderen Namen oder eine andere Adresse versuchen.",
  noJournal:
    "Dieser Browser speichert nichts für diese Seite, etwa in einem privaten Fenster. Deshalb gibt es hier keine Kontakte.",
  choose: "Einen Kontakt auswählen oder eine ganze Adresse einfügen.",
  unknown: "Nicht in den Kontakten",
  matches: (count) => formatCount(count, { one: "Kontakt", other: "Kontakte" }),
};
