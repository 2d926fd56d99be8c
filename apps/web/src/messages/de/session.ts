import type { Messages } from "../en.ts";
import { formatCount } from "../format.ts";
import { isOne, listWork } from "./uploads.ts";

export const session: Messages["session"] = {
  lock: "Sperren",
  lasts: "Angemeldet bleiben",
  durations: { hour: "1 Stunde", day: "1 Tag", week: "7 Tage", month: "30 Tage" },
  until: (time) => `Angemeldet bis ${time}.`,
  untilShort: (time) => `Bis ${time}`,
  lockHint: "Sperren beendet die Sitzung in allen Tabs. Was nicht fertig ist, bleibt verschlüsselt in diesem Browser.",
  signOut: "Abmelden",
  signOutHint:
    "Abmelden entfernt außerdem alles, was dieser Browser von dem Konto aufbewahrt. Gespeicherte Dateien bleiben.",
  lockTitle: "Jetzt sperren?",
  switchTitle: "Jetzt das Konto wechseln?",
  switch: "Konto wechseln",
  signOutTitle: "Abmelden und Unfertiges verwerfen?",
  discardAndSignOut: "Verwerfen und abmelden",
  incomplete: (counts) => `${listWork(counts)} ${isOne(counts) ? "ist" : "sind"} nicht fertig.`,
  unsaved: "Die letzten Änderungen an Dateien, Ordnern oder Kontakten sind nur in diesem Browser.",
  lostBySignOut:
    "Beim Abmelden wird gelöscht, was zum Fortsetzen nötig ist. Nicht gespeicherte Schlüssel gehen verloren. Mit „Sperren“ bleibt alles erhalten.",
  unsent: (count) =>
    `${formatCount(count, { one: "Datei", other: "Dateien" })} noch nicht gesendet; bitte danach neu hinzufügen.`,
  walletChanged: (wallet, account) => `Die Wallet verwendet jetzt ${wallet}. Angemeldet ist weiterhin ${account}.`,
  signInAs: (account) => `Als ${account} anmelden`,
  otherTab: (account) => `In einem anderen Tab wurde ${account} angemeldet.`,
  goOn: (account) => `Als ${account} fortfahren`,
  connectTitle: "Wallet verbinden",
  connectHint: (account) => `Das kann nur die Wallet von ${account}.`,
  otherWallet: (wallet, account) =>
    `Diese Wallet verwendet ein anderes Konto, ${wallet}. Bitte darin ${account} auswählen oder eine andere Wallet verbinden.`,
  yourWallet: "der Wallet",
};
