import type { Proof, VerifiedProof } from "keeplight";
import { clean } from "../output/clean.ts";
import { formatBytes } from "../output/format.ts";

/** Draws how the file, and its record in the index, lead to the root of each deal. All of it is verified. */
export function drawProof(cid: string, proof: Proof, { pieceCid, pieceSize, deals }: VerifiedProof): string {
  const lines = [`${clean(cid)}`, `└─ piece ${pieceCid}  ${formatBytes(pieceSize)}`];
  for (const [index, deal] of deals.entries()) {
    const isLast = index === deals.length - 1;
    const stem = isLast ? "   " : "│  ";
    const { inclusionProof } = proof.dealInfo[index]?.proof ?? {};
    lines.push(
      `   ${isLast ? "└─" : "├─"} deal ${clean(String(deal.dealId))} of ${clean(deal.storageProvider)}  ✓ verified`,
    );
    const add = (text: string) => lines.push(`   ${stem}${text}`);
    add(`├─ root ${shorten(deal.root)}  = ${deal.aggregateCid}, ${formatBytes(deal.aggregateSize)}`);
    add(`├─ from the data, at ${formatBytes(deal.offset)}`);
    for (const line of drawPath(inclusionProof?.proofSubtree.path)) add(`│  ${line}`);
    add("└─ from its record in the index");
    for (const line of drawPath(inclusionProof?.proofIndex.path)) add(`   ${line}`);
  }
  return lines.join("\n");
}

/** Draws the sibling hashes, from the leaf up to the root. */
function drawPath(path: readonly string[] | undefined): string[] {
  return (path ?? []).map(
    (hash, level, all) => `${level === all.length - 1 ? "└─" : "├─"} ${String(level).padStart(2)} ${shorten(hash)}`,
  );
}

function shorten(hash: string): string {
  const text = clean(hash);
  return text.length > 20 ? `${text.slice(0, 10)}…${text.slice(-6)}` : text;
}
