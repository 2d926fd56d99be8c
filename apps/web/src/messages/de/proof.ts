import type { Messages } from "../en.ts";

export const proof: Messages["proof"] = {
  valid: "Geprüft: in einem Speichervertrag",
  validBadge: "Im Browser geprüft",
  validHint:
    "Das beweist, dass das Datenstück der Datei zu den Daten des Vertrags unten gehört: Zwei Ketten von Hashes, eine vom Datenstück und eine von seinem Eintrag im Verzeichnis des Vertrags, führen zur selben Wurzel. Dass ein Anbieter den Vertrag erfüllt, steht auf der Blockchain.",
  invalid: "Ungültiger Nachweis",
  invalidBadge: "Nicht bestätigt",
  notYetTitle: "Noch kein Nachweis",
  notYetHint: "Verfügbar, sobald die Datei in einem Speichervertrag ist.",
  checkAgain: "Erneut prüfen",
  validPicture: (piece, entry, root) =>
    `Zwei Merkle-Pfade mit ${piece} und ${entry} Schritten, die sich in der Wurzel ${root} treffen.`,
  invalidPicture: "Zwei Merkle-Pfade, die sich nicht in einer Wurzel treffen.",
  piece: "Datenstück der Datei",
  entry: "Eintrag im Verzeichnis",
  root: (hash) => `Wurzel ${hash}…`,
  noRoot: "keine gemeinsame Wurzel",
  moreSteps: (count) => `${count} weitere Schritte`,
  deal: "Der Vertrag",
  dealId: "Vertrag",
  provider: "Speicheranbieter",
  space: "Platz im Vertrag",
  pieceCid: "CID des Datenstücks",
  pieceCidCopied: "CID des Datenstücks",
  keptUntil: "Gespeichert bis",
  viewOnExplorer: "Im Explorer ansehen",
};
