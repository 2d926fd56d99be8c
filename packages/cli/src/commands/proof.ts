import { rm, writeFile } from "node:fs/promises";
import type { VerifiedProof } from "@keeplight/proof";
import type { Proof } from "keeplight";
import { UsageError } from "../frame/failure.ts";
import type { Invocation } from "../frame/invocation.ts";
import { clean, formatBytes } from "../output/format.ts";

export async function proof({ load, call, argument, option, output, isDryRun }: Invocation): Promise<void> {
  const [{ getProof }, { verifyProof }] = await Promise.all([load(), import("@keeplight/proof")]);
  const cid = argument("cid");
  const proof = await getProof(cid, call);
  const verified = await verifyProof(proof);
  const save = option("save");
  if (save !== undefined && !isDryRun) await saveNew(save, `${JSON.stringify(proof, null, 2)}\n`);
  const { pieceCid, pieceSize, deals } = verified;
  const ids = deals.map(({ dealId }) => String(dealId));
  output.result({ cid, pieceCid, pieceSize, deals }, () => drawProof(cid, proof, verified), ids.join("\n"));
}

/** Writes a file that does not exist yet: whole or not at all. */
async function saveNew(path: string, text: string): Promise<void> {
  try {
    await writeFile(path, text, { flag: "wx", flush: true });
  } catch (error) {
    const isThere = (error as NodeJS.ErrnoException).code === "EEXIST";
    if (isThere) throw new UsageError(`${path} exists already`, "FILE_EXISTS");
    await rm(path, { force: true });
    throw error;
  }
}

/**
 * Draws how the piece, and its record in the index, lead to the root of each deal. The paths are verified; the content id, the deals
 * and their providers are as the network sent them.
 */
function drawProof(cid: string, proof: Proof, { pieceCid, pieceSize, deals }: VerifiedProof): string {
  const lines = [clean(cid), `└─ piece ${pieceCid}  ${formatBytes(pieceSize)}`];
  for (const [index, deal] of deals.entries()) {
    const isLast = index === deals.length - 1;
    const stem = isLast ? "   " : "│  ";
    const { inclusionProof } = proof.dealInfo[index]?.proof ?? {};
    const about = `deal ${clean(String(deal.dealId))} of ${clean(deal.storageProvider)}`;
    lines.push(`   ${isLast ? "└─" : "├─"} ${about}`);
    const add = (text: string) => lines.push(`   ${stem}${text}`);
    add(`├─ root ${shorten(deal.root)}  = ${deal.aggregateCid}, ${formatBytes(deal.aggregateSize)}  ✓ verified`);
    add(`├─ from the piece, at ${formatBytes(deal.offset)}`);
    for (const line of drawPath(inclusionProof?.proofSubtree.path)) add(`│  ${line}`);
    add("└─ from its record in the index");
    for (const line of drawPath(inclusionProof?.proofIndex.path)) add(`   ${line}`);
  }
  return [...lines, ...WHAT_IS_VERIFIED].join("\n");
}

const WHAT_IS_VERIFIED = [
  "Verified: both paths lead to the root, so the piece is part of that aggregate.",
  "Only the network says that the piece is the file, and that the deal exists and is about the aggregate.",
];

/** Draws the sibling hashes, from the leaf up to the root. */
function drawPath(path: readonly string[] = []): string[] {
  const last = path.length - 1;
  return path.map((hash, level) => `${level === last ? "└─" : "├─"} ${String(level).padStart(2)} ${shorten(hash)}`);
}

function shorten(hash: string): string {
  const text = clean(hash);
  return text.length > 20 ? `${text.slice(0, 10)}…${text.slice(-6)}` : text;
}
