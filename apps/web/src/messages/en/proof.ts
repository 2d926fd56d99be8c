/** Texts of a file's storage proof. */
export const proof = {
  valid: "Verified: in a storage deal",
  validBadge: "Verified in your browser",
  validHint:
    "This proves that the file’s piece is part of the data of the deal below: two paths of hashes, one from the piece and one from its entry in the deal’s index, lead to the same root. That a provider keeps the deal is recorded on the chain.",
  invalid: "Invalid proof",
  invalidBadge: "Not verified",
  notYetTitle: "No proof yet",
  notYetHint: "Available once the file is in a storage deal.",
  checkAgain: "Check again",
  validPicture: (piece: number, entry: number, root: string) =>
    `Two Merkle paths, of ${piece} and ${entry} steps, that meet in the root ${root}.`,
  invalidPicture: "Two Merkle paths that do not meet in one root.",
  piece: "The file’s piece",
  entry: "Its entry in the deal’s index",
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
