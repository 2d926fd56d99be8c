/** Texts of a file's storage proof. */
export const proof = {
  valid: "Verified: the proof’s paths",
  validBadge: "Verified in your browser",
  validHint:
    "Two paths of hashes, one from a piece of data and one from its entry in an index, lead to the same root: the piece is part of the data with this root. Only the network says that the piece is this file, and that the deal below exists and is about this root.",
  invalid: "Invalid proof",
  invalidBadge: "Not verified",
  notYetTitle: "No proof yet",
  notYetHint: "Available once the file is in a storage deal.",
  checkAgain: "Check again",
  validPicture: (piece: number, entry: number, root: string) =>
    `Two Merkle paths, of ${piece} and ${entry} steps, that meet in the root ${root}.`,
  invalidPicture: "Two Merkle paths that do not meet in one root.",
  piece: "The piece",
  entry: "Its entry in the index",
  root: (hash: string) => `root ${hash}…`,
  noRoot: "no common root",
  moreSteps: (count: number) => `${count} more steps`,
  deal: "The deal",
  dealId: "Deal",
  provider: "Storage provider",
  space: "Space in deal",
  pieceCid: "Piece CID",
  pieceCidCopied: "piece CID",
  keptUntil: "Kept until",
  viewOnExplorer: "View on the explorer",
};
