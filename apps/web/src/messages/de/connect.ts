import type { Messages } from "../en.ts";

export const connect: Messages["connect"] = {
  headline: "Dateien, die sich für ausgewählte Menschen öffnen.",
  pitch:
    "Sie werden auf dem Gerät verschlüsselt, bevor etwas es verlässt. Der Schlüssel jeder Datei wird auf fünf Schlüsselknoten verteilt; drei davon stellen ihn wieder her. Ein Knoten, der nur seine eigene Festplatte liest, erfährt nichts. Aber alle fünf hat derselbe Betreiber, und ein einzelner Knoten, der Anfragen missbraucht, kann Schlüssel lesen.",
  picture: "Der Schlüssel einer Datei wird auf fünf Knoten verteilt; drei davon stellen ihn wieder her.",
  recipientHeadline: "Jemand hat eine Datei geschickt.",
  recipientFolderHeadline: "Jemand hat einen Ordner geschickt.",
  recipientFolderHint:
    "Zum Öffnen bitte die Wallet verbinden. Ein verschlüsselter Ordner öffnet sich für die Wallet, mit der er geteilt wurde.",
  recipientHint:
    "Zum Öffnen bitte die Wallet verbinden. Eine verschlüsselte Datei öffnet sich für die Wallet, mit der sie geteilt wurde.",
  unverified: "Noch nicht geprüft: So beschreibt sie das Netz. Geprüft wird die Datei beim Öffnen nach der Anmeldung.",
  from: "Von",
  title: "Wallet verbinden",
  hint: "Die Adresse ist das Konto. Die Anmeldung braucht zwei Signaturen, ist kostenlos und kann kein Guthaben bewegen.",
  publicNetwork: "Öffentliches Netz",
  devnet: "Lokales Devnet",
  browserWallet: "Wallet im Browser",
  noWallet: "Keine Wallet gefunden. Bitte eine installieren, etwa MetaMask oder Rabby, und diese Seite neu laden.",
  testAccounts: "Testkonten im lokalen Devnet.",
  waiting: (wallet) => `Warten auf ${wallet}…`,
  sign: (wallet) => `Bitte die Nachricht in ${wallet} signieren…`,
  waitingHint: "Keine Anfrage zu sehen? Bitte die Wallet öffnen; vielleicht wartet sie hinter diesem Fenster.",
  chooseAnother: "Andere Wallet wählen",
};
