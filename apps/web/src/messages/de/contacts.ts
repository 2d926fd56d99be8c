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
  address: "Wallet-Adresse oder ENS-Name",
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
  choose: "Einen Kontakt auswählen oder eine ganze Adresse oder einen ENS-Namen wie bob.eth einfügen.",
  unknown: "Nicht in den Kontakten",
  ens: {
    badge: "ENS",
    looking: "Der Name wird nachgeschlagen…",
    choose: "Bitte die Adresse auswählen, zu der dieser Name führt.",
    ledElsewhere: (contact) =>
      `Als ${contact} gespeichert wurde, führte dieser Name zu einer anderen Adresse. Bitte vor dem Teilen nachfragen.`,
    found: (name, address) => `${name} führt zu ${address}`,
    checking: "· wird geprüft…",
    same: "· führt zu dieser Adresse",
    gone: "· führt jetzt zu keiner Adresse",
    unchecked: "· konnte nicht geprüft werden",
    moved: "führt jetzt zu einer anderen Adresse",
    review: "Ansehen…",
    reviewOf: (name) => `${name} ansehen`,
    movedTitle: (name) => `${name} führt jetzt zu einer anderen Adresse`,
    movedBody: (contact) =>
      `Wem der Name gehört, entscheidet, wohin er führt, und er kann jemand anderem gehören als früher. Bitte ${contact} auf anderem Weg fragen, bevor die neue Adresse benutzt wird. Geteilte Dateien bleiben mit der gespeicherten Adresse geteilt.`,
    savedAddress: "Gespeicherte Adresse",
    newAddress: "Neue Adresse",
    keepSaved: "Gespeicherte Adresse behalten, Namen vergessen",
    useNew: "Neue Adresse benutzen",
    problems: {
      unconfigured: "ENS-Namen lassen sich hier nicht nachschlagen. Bitte die Adresse einfügen.",
      invalid: "Das ist kein gültiger ENS-Name. Bitte die Schreibweise prüfen.",
      unset: "Dieser Name führt zu keiner Adresse.",
      offchain:
        "Die Adresse dieses Namens liegt nicht auf Ethereum selbst; das wird nicht unterstützt. Bitte die Adresse einfügen.",
      wrongChain: "Der Ethereum-Knoten gehört zu einem anderen Netz. Bitte die Adresse einfügen.",
      unavailable:
        "Der Name konnte nicht nachgeschlagen werden. Bitte gleich noch einmal versuchen oder die Adresse einfügen.",
    },
  },
  matches: (count) => formatCount(count, { one: "Kontakt", other: "Kontakte" }),
};
