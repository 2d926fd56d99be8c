import type { Counts } from "../en/uploads.ts";
import type { Messages } from "../en.ts";
import { formatCount, formatList } from "../format.ts";

const file = { one: "Datei", other: "Dateien" };
const upload = { one: "Upload", other: "Uploads" };

export function listWork({ uploads, files, payments, changes }: Counts): string {
  const parts = [
    uploads > 0 && formatCount(uploads, upload),
    files > 0 && formatCount(files, file),
    payments > 0 && formatCount(payments, { one: "Zahlung", other: "Zahlungen" }),
    changes > 0 && formatCount(changes, { one: "Änderung", other: "Änderungen" }),
  ];
  return formatList(parts.filter((part) => part !== false));
}

export const isOne = ({ uploads, files, payments, changes }: Counts) => uploads + files + payments + changes === 1;

export const uploads: Messages["uploads"] = {
  list: "Uploads",
  work: listWork,
  all: "Alle Uploads",
  uploading: (count) => `${formatCount(count, upload)} läuft`.replace(/Uploads läuft$/, "Uploads laufen"),
  complete: (count) => `${formatCount(count, upload)} fertig`,
  failed: (count) => `${formatCount(count, upload)} fehlgeschlagen`,
  cancelled: (count) => `${formatCount(count, upload)} abgebrochen`,
  result: (done, failed) => `${formatCount(done, upload)} fertig, ${failed} fehlgeschlagen`,
  ofSize: (percent, size) => `${percent} von ${size}`,
  rate: (rate, left) => `${rate}/s · noch ${left}`,
  confirm: (wallet) => `In ${wallet} bestätigen…`,
  cancelAll: "Alle abbrechen",
  clear: "Leeren",
  retry: "Erneut versuchen",
  retryAll: "Alle erneut versuchen",
  collapse: "Einklappen",
  expand: "Ausklappen",
  more: (count) => `und ${formatCount(count, { one: "weiterer", other: "weitere" })}`,
  cancel: (name) => `${name} abbrechen`,
  dismiss: (name) => `${name} ausblenden`,
  openFile: (name) => `${name} öffnen`,
  linkTo: (name) => `Link zu ${name}`,
  waiting: "Wartet",
  starting: "Beginnt",
  stored: "Gespeichert",
  cancelledOne: "Abgebrochen",
  phases: {
    preparing: "Wird verschlüsselt",
    uploading: "Wird hochgeladen",
    "saving-keys": "Schlüssel wird gespeichert",
    downloading: "Wird geladen",
  },
  keySaved: (nodes) => `Schlüssel auf ${nodes} von 5 Knoten gespeichert`,
  repair: "Reparieren",
  noJournal: "Dieser Browser kann Unterbrochenes nicht aufbewahren. Bitte auf der Seite bleiben, bis alles fertig ist.",
  clearTitle: "Uploads leeren, deren Schlüssel nicht gespeichert sind?",
  clearBody: "Sie bleiben unter „Unterbrochen“ offen und können dort fortgesetzt oder verworfen werden.",
  interrupted: (counts) => `${listWork(counts)} ${isOne(counts) ? "wurde" : "wurden"} unterbrochen`,
  interruptedList: "Unterbrochen",
  resume: "Fortsetzen",
  resumeOf: (name) => `${name} fortsetzen`,
  resumeAll: "Alle fortsetzen",
  discard: "Verwerfen",
  discardOf: (name) => `${name} verwerfen`,
  stop: "Anhalten",
  chooseFolder: "Ordner wählen",
  chooseFolderAgain: "Zum Fortsetzen denselben Ordner noch einmal auswählen.",
  chooseFile: "Datei wählen",
  chooseFileOf: (name) => `${name} noch einmal wählen`,
  chooseAgain: "Zum Fortsetzen dieselbe Datei noch einmal wählen.",
  queued: (count) => `${formatCount(count, file)} noch nicht hochgeladen`,
  queuedMissing: (count) => `${formatCount(count, file)} nicht in der Auswahl oder inzwischen geändert.`,
  chooseQueued: (count) => (count === 1 ? "Datei noch einmal wählen" : "Dateien noch einmal wählen"),
  changedFile:
    "Das ist nicht die Datei, die hochgeladen wurde: Größe oder Datum ist anders. Bitte das Original wählen oder verwerfen.",
  otherTab: "Läuft in einem anderen Tab",
  resuming: "Wird fortgesetzt",
  payment: "Zahlung",
  paymentHint: "Prüft die Blockchain, bevor etwas signiert wird.",
  notFoundOnChain:
    "Die Zahlung ist nicht auf der Blockchain. Zeigt die Wallet die Anfrage noch, bitte zuerst dort ablehnen.",
  paymentOpen: "Eine frühere Zahlung wurde unterbrochen. Bitte zuerst unter „Unterbrochen“ fortsetzen oder verwerfen.",
  paymentStopped:
    "Es wird nicht mehr gewartet. Wurde in der Wallet bestätigt, läuft die Zahlung weiter; bezahlt wird nur einmal.",
  continuePayment: "Zahlung fortsetzen",
  payNow: "Erneut zahlen",
  payAgainTitle: "Wurde die Zahlung in der Wallet abgelehnt?",
  payAgainBody:
    "Nur erneut zahlen, wenn die Wallet sie nicht gesendet hat und nicht mehr anzeigt. Sonst wird vielleicht zweimal bezahlt.",
  payFor: "Diesen Upload bezahlen",
  payForOf: (name) => `Upload von ${name} bezahlen`,
  payForTitle: (name) => `Für ${name} bezahlen?`,
  payForLoading: "Der Preis wird abgefragt…",
  payForPrice: (price, size, days) =>
    `${price} für ${size}, gespeichert für ${formatCount(days, { one: "Tag", other: "Tage" })}. Bezahlt wird in USDC auf Base, ohne Netzgebühr und mit einer einzigen Signatur.`,
  payForHint:
    "Die Datei wird außerhalb des Tarifs gespeichert: Sie belegt dort keinen Platz, kann nicht gelöscht werden und steht nicht in der Liste des Kontos. Bitte den Link aufbewahren.",
  payPrice: (price) => `${price} bezahlen`,
  paid: (price) => `${price} bezahlt`,
  paidBefore: "Schon bezahlt",
  storedUntil: (date) => `gespeichert bis ${date}`,
  receiptOf: (name) => `Beleg für ${name}`,
  paidHint: "Einzeln bezahlter Upload; bezahlt wird nur einmal.",
  manyFiles: (first, more) => `${first} und ${more} weitere`,
  kinds: {
    share: "Teilen einer Datei",
    revoke: "Entzug eines Zugriffs",
    conditions: "Speichern von Regeln",
    transfer: "Übertragung einer Datei",
    repair: "Reparatur eines Schlüssels",
    delegate: "Änderung von Bevollmächtigten",
    save: "Speichern eines Schlüssels",
    unreadable: "Beschädigter Eintrag",
    download: "Download",
    decrypt: "Download",
    queued: "Upload",
  },
  discardTitle: (name) => `${name} verwerfen?`,
  discardUpload:
    "Was schon gespeichert ist, kann niemand mehr öffnen: Der Schlüssel wird gelöscht. Die Datei auf dem Gerät bleibt.",
  discardQueued: "Davon ist nichts hochgeladen. Die Dateien auf dem Gerät bleiben.",
  discardPayment:
    "Eine gesendete Transaktion kann noch ausgeführt werden und wäre hier nicht mehr zu sehen. Nichts wird erstattet.",
  discardChange:
    "Manche Schlüsselknoten behalten die Änderung vielleicht, andere nicht. Zur Sicherheit die Änderung wiederholen.",
  completed: (count) => `${formatCount(count, { one: "Vorgang", other: "Vorgänge" })} abgeschlossen`,
};
