import type { Messages } from "../en.ts";

export const proof: Messages["proof"] = {
  valid: "Geprüft: die Pfade des Nachweises",
  validBadge: "Im Browser geprüft",
  validHint:
    "Zwei Ketten von Hashes, eine von einem Datenstück und eine von seinem Eintrag in einem Verzeichnis, führen zur selben Wurzel: Das Datenstück gehört zu den Daten mit dieser Wurzel. Nur das Netz sagt, dass das Datenstück diese Datei ist und dass es den Vertrag unten gibt und er diese Wurzel betrifft.",
  invalid: "Ungültiger Nachweis",
  invalidBadge: "Nicht bestätigt",
  notYetTitle: "Noch kein Nachweis",
  notYetHint: "Verfügbar, sobald die Datei in einem Speichervertrag ist.",
  checkAgain: "Erneut prüfen",
  validPicture: (piece, entry, root) =>
    `Zwei Merkle-Pfade mit ${piece} und ${entry} Schritten, die sich in der Wurzel ${root} treffen.`,
  invalidPicture: "Zwei Merkle-Pfade, die sich nicht in einer Wurzel treffen.",
  piece: "Das Datenstück",
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
