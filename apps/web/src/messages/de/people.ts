import type { Messages } from "../en.ts";

export const people: Messages["people"] = {
  owner: "Eigentümer",
  ownerYou: "Eigentümer (dieses Konto)",
  viewer: "Kann ansehen",
  viewerYou: "Kann ansehen (dieses Konto)",
  sharedWithYou: "Mit diesem Konto geteilt",
  notSharedWithYou: "Nicht mit diesem Konto geteilt",
  othersHint: "Nur der Eigentümer kann diese Datei teilen und sieht, wer sie sonst noch öffnen kann.",
  title: "Mit jemandem teilen",
  address: "Wallet-Adresse",
  addressHint: "Diese Adresse kann die Datei dann öffnen.",
  ownAddress: "Das ist die eigene Adresse. Sie kann die Datei schon öffnen.",
  hasAccess: "Diese Adresse hat schon Zugriff.",
  share: "Teilen",
  shared: (address) => `Mit ${address} geteilt`,
  thenSend: "Danach diesen Link schicken. Er funktioniert nur für Personen mit Zugriff.",
  halfDone: { share: "Teilweise geteilt", revoke: "Teilweise entzogen" },
  list: "Personen mit Zugriff",
  notShared: "Noch nicht geteilt",
  revoke: "Entziehen",
  revokeOf: (address) => `${address} den Zugriff entziehen`,
  revoked: (address) => `${address} hat keinen Zugriff mehr`,
  savedOnAll: "Auf allen fünf Knoten gespeichert",
  retryNodes: "Übrige Knoten erneut versuchen",
  keyLinkHint:
    "Ein Link kann auch den Schlüssel selbst enthalten. Er funktioniert ohne die Schlüsselknoten, und wer ihn bekommt, kann die Datei auf Dauer öffnen: Er lässt sich nicht beenden.",
  keyLinkCreated:
    "Dieser Link enthält den Schlüssel der Datei. Bitte nur an vertraute Personen schicken: Er lässt sich nicht widerrufen.",
  createKeyLink: "Offenen Link anlegen",
  copyKeyLink: "Offenen Link kopieren",
  keyLinkTitle: "Einen Link anlegen, der die Datei öffnet?",
  keyLinkAction: "Link anlegen",
  keyLinkBody:
    "Der Link enthält den Schlüssel der Datei. Wer ihn hat, kann die Datei ohne Wallet öffnen und ihn weitergeben.",
  keyLinkStrong: "Er lässt sich nicht widerrufen.",
  keyLinkWarning:
    "Auch entzogener Zugriff oder andere Regeln halten ihn nicht auf. Für einen Zugriff, der sich beenden lässt, bitte eine Wallet-Adresse oder den Link darüber verwenden.",
};
