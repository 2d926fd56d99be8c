import type { Messages } from "../en.ts";

export const ui: Messages["ui"] = {
  cancel: "Abbrechen",
  close: "Schließen",
  justNow: "gerade eben",
  reload: "Neu laden",
  tryAgain: "Erneut versuchen",
  delete: "Löschen",
  copy: "Kopieren",
  copyThing: (what) => `${what} kopieren`,
  copied: (what) => `${what} kopiert`,
  notCopied: (what, text) => `Der Browser hat das Kopieren nicht erlaubt. ${what}: ${text}`,
  notCopiedSecret: "Der Browser hat das Kopieren nicht erlaubt.",
  showPassword: "Passwort anzeigen",
  hidePassword: "Passwort verbergen",
  viewOnGateway: "Über das Gateway ansehen",
};
