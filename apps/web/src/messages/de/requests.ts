import type { Messages } from "../en.ts";

export const requests: Messages["requests"] = {
  ask: "Um Zugriff bitten",
  askLead:
    "Diesen Link bitte selbst an die Person schicken, der die Datei gehört, etwa per Messenger. Es wird nichts von hier gesendet.",
  note: "Nachricht (optional)",
  noteHint: "Zum Beispiel, wer fragt. Bis zu 200 Zeichen.",
  linkHolds: "Der Link enthält die CID, die eigene Adresse und die Nachricht, aber keinen Schlüssel.",
  linkTitle: "Bitte um Zugriff",
  link: "Link",
  copyLink: "Link kopieren",
  send: "Senden…",
  title: "Jemand bittet um Zugriff",
  lead: "Geteilt wird erst, wenn „Teilen“ gedrückt wird.",
  who: "Wer fragt",
  compareKnown: (name) =>
    `Einen solchen Link kann jeder schreiben, mit jeder Adresse. Bitte ${name} auf anderem Weg fragen, ob er wirklich von dort kommt.`,
  compareUnknown:
    "Einen solchen Link kann jeder schreiben, mit jeder Adresse. Bitte die ganze Adresse mit der Angabe vergleichen, die auf anderem Weg kam.",
  theirNote: "Nachricht im Link",
  what: "Worum es geht",
  isOlder: "Der Link gilt einer älteren Version. Wird sie geteilt, ist die aktuelle nicht geteilt.",
  folderNow:
    "Geteilt wird der Ordner, wie er jetzt ist, mit allen Dateien darin. Hat er sich seit dem Link geändert, bitte den neuen schicken.",
  networkName:
    "Liegt in keinem eigenen Ordner; den Namen nennt nur das Netz. Bitte vor dem Teilen ansehen, was es ist.",
  openFirst: "Öffnen",
  hasAccess: (who) =>
    `Laut einem Schlüsselknoten hat ${who} schon Zugriff. Bitte den Link noch einmal schicken; öffnet er sich dann nicht, noch einmal teilen.`,
  openPeople: "Zeigen, wer Zugriff hat",
  share: "Teilen…",
  trashed: "Liegt im Papierkorb. Bitte vor dem Teilen wiederherstellen.",
  openTrash: "Papierkorb öffnen",
  isPublic: "Nicht verschlüsselt: Wer die CID kennt, kann die Datei öffnen, ohne zu fragen.",
  notOwnTitle: "Keine Datei dieses Kontos",
  notOwnHint:
    "Sie gehört jemand anderem oder wurde gelöscht und lässt sich hier deshalb nicht teilen. Gibt es ein anderes Konto, bitte dort anmelden und den Link noch einmal öffnen.",
  ownTitle: "Die eigene Bitte um Zugriff",
  ownHint: "Diesen Link muss die Person öffnen, der die Datei gehört. Bitte an sie schicken.",
  showFile: "Datei zeigen",
  damaged: {
    title: "Diese Bitte lässt sich nicht lesen",
    advice: "Der Link ist beschädigt. Der Absender kann ihn noch einmal ganz kopieren.",
  },
  connectHeadline: "Jemand bittet um Zugriff.",
  connectHint:
    "Bitte die Wallet verbinden, der die Datei gehört, um zu sehen, wer fragt. Ohne Zustimmung wird nichts geteilt.",
};
