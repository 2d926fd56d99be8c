import type { Proof } from "keeplight";

/** One step of the way from a leaf to the root; all hashes are hex. */
export interface MerkleStep {
  node: string;
  /** The hash beside `node`; missing at the root. */
  beside?: string;
  /** Which side `node` is on. */
  isRight: boolean;
}

/** The two ways of a proof, from their leaves to their roots. */
export interface MerkleWays {
  piece: MerkleStep[];
  entry: MerkleStep[];
}

type Inclusion = Proof["dealInfo"][number]["proof"];

/** Walks both ways of a proof (PoDSI, FRC-0058), each step hashed here. */
export async function walkWays({ verifierData, inclusionProof, indexRecord }: Inclusion): Promise<MerkleWays> {
  const commitment = verifierData.commPc.slice(-64);
  const record = `${littleEndian(indexRecord.proofSubtree)}${littleEndian(indexRecord.size)}${indexRecord.checksum}`;
  const [piece, entry] = await Promise.all([
    walk(commitment, inclusionProof.proofSubtree),
    walk(await parentOf(indexRecord.proofIndex, record), inclusionProof.proofIndex),
  ]);
  return { piece, entry };
}

async function walk(leaf: string, { index, path }: { index: string; path: readonly string[] }): Promise<MerkleStep[]> {
  const steps: MerkleStep[] = [];
  let node = leaf;
  let at = BigInt(`0x${index}`);
  for (const beside of path) {
    const isRight = at % 2n === 1n;
    steps.push({ node, beside, isRight });
    node = isRight ? await parentOf(beside, node) : await parentOf(node, beside);
    at /= 2n;
  }
  return [...steps, { node, isRight: false }];
}

/** SHA-256 of both, with the two top bits of the last byte cleared. */
async function parentOf(left: string, right: string): Promise<string> {
  const bytes = Uint8Array.from(`${left}${right}`.match(/../g) ?? [], (hex) => Number.parseInt(hex, 16));
  const hash = new Uint8Array(await crypto.subtle.digest("SHA-256", bytes));
  hash[31] = (hash[31] ?? 0) & 0x3f;
  return Array.from(hash, (byte) => byte.toString(16).padStart(2, "0")).join("");
}

/** 8 bytes, as hex. */
function littleEndian(value: number): string {
  const view = new DataView(new ArrayBuffer(8));
  view.setBigUint64(0, BigInt(value), true);
  return Array.from(new Uint8Array(view.buffer), (byte) => byte.toString(16).padStart(2, "0")).join("");
}
