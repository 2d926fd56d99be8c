import type { Messages } from "../en.ts";

export const shared: Messages["shared"] = {
  title: "Geteilt",
  lead: "Jemand hat eine Datei geteilt? Hier den Link oder die CID einfügen.",
  listed: "Auf diesem Gerät geöffnet",
  emptyTitle: "Noch nichts hier",
  emptyHint: "Dateien, die andere teilen, erscheinen hier, sobald ihr Link geöffnet wird.",
  note: "Diese Liste ist verschlüsselt und bleibt in diesem Browser.",
  from: "Von",
  isPublic: "Öffentlich",
  removed: (name) => `${name} aus der Liste entfernt`,
  remove: (name) => `${name} aus der Liste entfernen`,
  linkOrCid: "Link oder CID",
  noCid: "Keine CID gefunden. CIDs beginnen mit „bafy“, „bafk“ oder „Qm“.",
  openHint: "Verschlüsselte Dateien öffnen sich, wenn sie mit der eigenen Adresse geteilt sind.",
  open: "Öffnen",
  cannotOpen: "Dieser Link lässt sich nicht öffnen",
  byLink: "Geteilt über einen Link, der den Schlüssel enthält. Eine Wallet ist nicht nötig.",
  key: "Schlüssel",
  verified: "Geprüft",
  byEndingLink: "Per Link geteilt. Eine Wallet ist nicht nötig.",
  name: "Name",
  unprovenName: "Nicht geprüft: gewählt von der Person, die den Link geschickt hat",
  ends: "Link endet",
  noEnd: "Ohne Enddatum",
  forgets:
    "Diese Seite vergisst den Link, sobald sie geschlossen wird. Im Verlauf des Browsers kann die geöffnete Adresse stehen bleiben, bis sie dort gelöscht wird.",
  keyNote: "Wer den Link hat, kann die Datei auf Dauer öffnen.",
  endingNote:
    "Wer den Link hat, kann die Datei öffnen, bis der Link beendet wird. Was bis dahin geöffnet oder gespeichert wurde, bleibt erhalten.",
  passwordTitle: "Dieser Link braucht ein Passwort",
  passwordLead: "Das Passwort kennt die Person, die den Link geschickt hat.",
  password: "Passwort",
  passwordHint: "Es wird im Browser geprüft und an niemanden gesendet.",
  wrongPassword:
    "Falsches Passwort. Bitte prüfen und erneut versuchen. Stimmt es, wurde der Link verändert: Dann den Absender um einen neuen Link bitten.",
  over: { title: "Dieser Link ist abgelaufen", advice: "Den Absender um einen neuen Link bitten." },
  changed: {
    title: "Dieser Link wurde verändert",
    advice:
      "Er ist nicht mehr so, wie er angelegt wurde; es wurde nichts geöffnet. Den Absender um einen neuen Link bitten.",
  },
  ended: {
    title: "Dieser Link wurde beendet",
    advice: "Er wurde beendet, oder die Datei wurde gelöscht. Den Absender um einen neuen Link bitten.",
  },
  keep: "Unter „Geteilt“ aufbewahren",
  kept: "Steht unter „Geteilt“",
  keptNow: "Steht jetzt auf allen Geräten dieses Kontos unter „Geteilt“",
  keptTitle: "Aufbewahrt",
  keptNote: "Diese Liste ist verschlüsselt und auf allen Geräten dieses Kontos.",
  ownFiles: "Zu den eigenen Dateien",
};
