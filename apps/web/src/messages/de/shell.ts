import type { Messages } from "../en.ts";

export const shell: Messages["shell"] = {
  skip: "Zum Inhalt springen",
  screens: "Bereiche",
  files: "Dateien",
  shared: "Geteilt",
  names: "Namen",
  storage: "Speicher",
  settings: "Einstellungen",
  address: "Adresse",
  toLight: "Zum hellen Modus wechseln",
  toDark: "Zum dunklen Modus wechseln",
  offline: "Offline. Uploads gehen weiter, sobald wieder eine Verbindung besteht.",
  used: (used, limit) => `${used} von ${limit} belegt`,
};
