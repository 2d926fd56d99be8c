import type { Messages } from "../en.ts";

const unreadableResponse = {
  title: "Unerwartete Antwort",
  advice: "Ein Dienst hat etwas nicht Lesbares geschickt. Bitte gleich noch einmal versuchen.",
};

const byCode: Messages["errors"]["byCode"] = {
  INVALID_CID: {
    title: "Ungültige CID",
    advice: "CIDs beginnen mit „bafy“, „bafk“ oder „Qm“. Bitte noch einmal aus dem erhaltenen Link kopieren.",
  },
  INVALID_ADDRESS: {
    title: "Ungültige Adresse",
    advice: "Gebraucht wird eine 0x…-Adresse mit 42 Zeichen oder eine Solana-Adresse mit 44 Zeichen.",
  },
  INVALID_CONDITION: {
    title: "Unvollständige Bedingung",
    advice: "Bitte die Felder unten prüfen und erneut versuchen.",
  },
  DUPLICATE_NAME: {
    title: "Zwei Dateien haben denselben Namen",
    advice: "Bitte eine umbenennen und erneut hinzufügen.",
  },
  FILE_TOO_LARGE: { title: "Die Datei ist zu groß", advice: "Verschlüsselte Dateien dürfen bis zu 64 GiB groß sein." },
  SOURCE_CHANGED: {
    title: "Die Datei hat sich beim Hochladen geändert",
    advice: "Bitte warten, bis kein anderes Programm mehr in sie schreibt, und dann erneut versuchen.",
  },
  SOURCE_UNREADABLE: {
    title: "Die Datei ist nicht lesbar",
    advice: "Vielleicht wurde sie verschoben. Bitte erneut hinzufügen.",
  },
  ABORTED: {
    title: "Abgebrochen",
    advice: "Es wurde nichts mehr gesendet. Ein neuer Versuch ist jederzeit möglich.",
  },
  TIMEOUT: {
    title: "Zeitüberschreitung",
    advice: "Bitte die Verbindung prüfen und dann erneut versuchen.",
  },
  NETWORK: {
    title: "Das Netz ist nicht erreichbar",
    advice: "Bitte die Verbindung prüfen und dann erneut versuchen.",
  },
  SIGNATURE_REJECTED: {
    title: "Signatur abgelehnt",
    advice:
      "Die Anmeldung kostet nichts und kann kein Guthaben bewegen. Bitte die Wallet des Kontos verbinden, erneut versuchen und dort signieren.",
  },
  INVALID_SIGNATURE: {
    title: "Ungültige Signatur",
    advice: "Bitte prüfen, ob die Wallet das verbundene Konto verwendet, und dann erneut versuchen.",
  },
  NODES_FAILED: {
    title: "Zu wenige Schlüsselknoten haben geantwortet",
    advice: "Drei von fünf sind nötig. Bitte gleich noch einmal versuchen.",
  },
  CID_NOT_FOUND: {
    title: "Kein Schlüssel für diese Datei",
    advice: "Vielleicht ist sie nicht verschlüsselt, oder ihr Schlüssel wurde nie gespeichert.",
  },
  CANNOT_DECRYPT: {
    title: "Die Datei lässt sich nicht entschlüsseln",
    advice: "Der Schlüssel ist falsch oder die gespeicherte Datei beschädigt. Sie muss neu hochgeladen werden.",
  },
  CANNOT_RECOVER_KEY: {
    title: "Der Schlüssel der Datei lässt sich nicht wiederherstellen",
    advice: "Die Teile von den Schlüsselknoten passen nicht zusammen. Bitte gleich noch einmal versuchen.",
  },
  NOT_VERIFIED: {
    title: "Datei lässt sich nicht prüfen",
    advice:
      "Kein Gateway hat geschickt, was die Daten beweist; es wurde nichts geöffnet. Bitte später noch einmal versuchen.",
  },
  TOO_MANY_ROWS: {
    title: "Es wird nicht alles angezeigt",
    advice: "Diese Liste hat mehr als 100.000 Einträge; mehr werden hier nicht angezeigt.",
  },
  KEY_NOT_PROVED: {
    title: "Zu wenige Schlüsselknoten sind sich einig, um Teile der Datei zu öffnen",
    advice: "Dafür sind vier von fünf nötig. Für die ganze Datei genügen drei.",
  },
  SHARDS_NOT_SAVED: {
    title: "Hochgeladen, aber der Schlüssel ist noch nicht gespeichert",
    advice: "Mit „Erneut versuchen“ abschließen, jetzt oder nach der nächsten Anmeldung.",
  },
  CANNOT_WRITE: {
    title: "Der Speicher des Browsers ist voll",
    advice: "Bitte Platz auf dem Gerät schaffen und dann erneut versuchen.",
  },
  SESSION_ENDED: { title: "Die Sitzung ist beendet", advice: "Bitte erneut anmelden." },
  SESSION_UNFINISHED: {
    title: "Etwas ist nicht fertig",
    advice: "Beim Abmelden ginge es verloren. Bitte erst fortsetzen oder verwerfen.",
  },
  INVALID_LINK: {
    title: "Dieser Link ist beschädigt",
    advice: "Den ganzen Link noch einmal aus der Nachricht kopieren.",
  },
  NOT_OWNER: {
    title: "Das kann nur der Eigentümer ändern",
    advice: "Bitte mit dem Konto anmelden, das den Eintrag hinzugefügt hat.",
  },
  INVALID_RESPONSE: unreadableResponse,
  INVALID_JSON: unreadableResponse,
  UNEXPECTED_MESSAGE: {
    title: "Ungewöhnliche Bitte um eine Signatur",
    advice: "Ein Dienst wollte etwas anderes als eine Anmeldung signieren lassen. Es wurde nichts signiert.",
  },
  UNSUPPORTED: {
    title: "Das geht hier nicht",
    advice: "Dieser Browser oder das Gateway kann das nicht.",
  },
  JOURNAL_CLOSED: {
    title: "Die Daten dieser Seite wurden im Browser gelöscht",
    advice: "Bitte die Seite neu laden, anmelden und die Dateien noch einmal hinzufügen.",
  },
  JOURNAL_ENTRY_BUSY: {
    title: "Läuft in einem anderen Tab",
    advice: "Bitte dort fortfahren oder den anderen Tab schließen.",
  },
  COMMITMENT_MISMATCH: {
    title: "Der Schlüssel passt nicht zu dieser Datei",
    advice: "Der Link oder der Ordner nennt einen anderen Schlüssel. Den Absender um einen neuen Link bitten.",
  },
  PROOF_NOT_READY: {
    title: "Noch kein Nachweis",
    advice: "Verfügbar, sobald die Datei in einem Speichervertrag ist.",
  },
  PAYMENT_REJECTED: {
    title: "Anfrage in der Wallet abgelehnt",
    advice: "Es wurde nichts bezahlt. Bitte erneut bezahlen und in der Wallet bestätigen.",
  },
  INSUFFICIENT_FUNDS: {
    title: "Das Guthaben reicht nicht",
    advice: "Es muss den Betrag und die Netzgebühr decken. Bitte mit einem anderen Token bezahlen oder aufladen.",
  },
  NO_ROOM: {
    title: "Nicht genug Speicher",
    advice: "Bitte Dateien löschen, Speicher kaufen oder nur diesen Upload bezahlen.",
  },
  PAYMENT_ABOVE_LIMIT: {
    title: "Der Preis ist gestiegen",
    advice: "Es wurde nichts bezahlt. Bitte den neuen Preis prüfen und dann erneut bezahlen.",
  },
  PAYMENT_NOT_TAKEN: {
    title: "Die Zahlung wurde nicht angenommen",
    advice: "Beim erneuten Versuch wird zuerst die Blockchain geprüft; bezahlt wird nur einmal.",
  },
  PAID_NOT_STORED: {
    title: "Bezahlt, aber noch nicht gespeichert",
    advice: "Beim erneuten Versuch wird die Datei noch einmal gesendet; bezahlt wird nur einmal.",
  },
  UNEXPECTED_PAYMENT: {
    title: "Ungewöhnliche Zahlungsanforderung",
    advice: "Der Dienst verlangt etwas anderes als die vereinbarte Zahlung. Es wurde nichts bezahlt.",
  },
  WRONG_CHAIN: {
    title: "Falsches Netz",
    advice: "Bitte die Wallet auf das gewählte Netz umstellen und dann erneut versuchen.",
  },
  TOKEN_NOT_SUPPORTED: {
    title: "Token nicht unterstützt",
    advice: "Bitte ein anderes Token oder Netz wählen.",
  },
  PAYMENT_TIMEOUT: {
    title: "Zahlung noch nicht bestätigt",
    advice: "Die Transaktion steht noch aus. „Erneut prüfen“ bezahlt nicht noch einmal.",
  },
  PAYMENT_REVERTED: {
    title: "Zahlung auf der Chain fehlgeschlagen",
    advice: "Nur die Netzgebühr wurde berechnet. Bitte das Guthaben prüfen und erneut versuchen.",
  },
  TICKER_FAILED: {
    title: "Kein Kurs verfügbar",
    advice: "Bitte mit einem US-Dollar-Token bezahlen oder es später erneut versuchen.",
  },
};

export const errors: Messages["errors"] = {
  byCode,
  unknown: "Etwas ist schiefgegangen",
  offline: { title: "Keine Verbindung", advice: "Bitte erneut versuchen, sobald wieder eine Verbindung besteht." },
  walletRejected: {
    title: "Anfrage in der Wallet abgelehnt",
    advice: "Bitte erneut versuchen und in der Wallet bestätigen.",
  },
  noAccess: {
    title: "Kein Zugriff auf diese Datei",
    advice: "Der Eigentümer muss sie erst mit dieser Adresse teilen. Danach bitte erneut versuchen.",
  },
  badName: {
    title: "Dieser Name geht nicht",
    advice:
      "Namen haben bis zu 255 Zeichen, nicht nur Leerzeichen oder Punkte, und keine unsichtbaren Steuerzeichen. Bitte ändern und erneut hinzufügen.",
  },
  partlySaved: "Teilweise gespeichert",
  nodesUpdated: (done, failed) =>
    `${done} von 5 Schlüsselknoten aktualisiert; ${failed === undefined ? "die anderen haben" : `Knoten ${failed} hat`} nicht geantwortet.`,
  wrongBytes: {
    title: "Das Gateway hat falsche Daten geschickt",
    advice: "Sie passen nicht zur CID und werden nicht verwendet. Bitte gleich noch einmal versuchen.",
  },
  wrongUpload: {
    title: "Die Datei ist beschädigt angekommen",
    advice: "Gespeichert ist etwas anderes als gesendet. Bitte gleich noch einmal versuchen.",
  },
  overQuota: {
    title: "Nicht genug Speicher",
    advice: "Bitte Dateien löschen oder Speicher kaufen und dann erneut versuchen.",
  },
  sessionExpired: {
    title: "Sitzung abgelaufen",
    advice: "Bitte sperren und erneut anmelden.",
  },
  notFound: { title: "Nicht gefunden", advice: "Bitte die CID prüfen." },
  tooManyRequests: {
    title: "Zu viele Anfragen",
    advice: "Bitte eine Minute warten und dann erneut versuchen.",
  },
  serviceProblem: "Der Dienst hat ein Problem",
  serviceStatus: (status) => `Er hat mit Status ${status} geantwortet. Bitte gleich noch einmal versuchen.`,
};
