import type { Messages } from "../en.ts";

export const shared: Messages["shared"] = {
  title: "Mit mir geteilt",
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
  keepLink:
    "Bitte den Link aufheben. Wer ihn hat, kann die Datei öffnen. Er kann mit seinem Schlüssel im Verlauf dieses Browsers bleiben.",
  ownFiles: "Zu den eigenen Dateien",
};
