import type { Messages } from "../en.ts";

export const names: Messages["names"] = {
  title: "Namen",
  lead: "Ein Name behält seinen Link, auch wenn die Datei dahinter wechselt.",
  create: "Neuer Name",
  created: "Name angelegt",
  emptyTitle: "Noch keine Namen",
  emptyHint:
    "Namen anlegen, eine Datei darunter veröffentlichen, den Link teilen. Die Datei lässt sich jederzeit ändern.",
  published: "Veröffentlicht",
  removed: "Name entfernt",
  remove: "Diesen Namen entfernen",
  deletePermanently: "Endgültig löschen",
  linkOfName: "Link des Namens",
  pointsTo: "Zeigt auf",
  since: (time) => ` seit ${time}`,
  notPublished: "Noch nicht veröffentlicht",
  target: "Datei oder CID zum Veröffentlichen",
  targetHint: "Datei wählen oder CID einfügen",
  publish: "Veröffentlichen",
};
