import type { Proof } from "keeplight";

/** One step of a path from a leaf to the root; all hashes are hex. */
export interface MerkleStep {
  node: string;
  /** The other child of the parent; missing at the root. */
  sibling?: string;
  /** Which side `node` is on. */
  isRight: boolean;
}

/** The two paths of a proof, from their leaves to their roots. */
export interface MerklePaths {
  piece: MerkleStep[];
  entry: MerkleStep[];
}

type Inclusion = Proof["dealInfo"][number]["proof"];

/** Computes both paths of a proof (PoDSI, FRC-0058), and every hash on them. */
export async function computePaths({ verifierData, inclusionProof, indexRecord }: Inclusion): Promise<MerklePaths> {
  const commitment = verifierData.commPc.slice(-64);
  const record = `${toLittleEndianHex(indexRecord.proofSubtree)}${toLittleEndianHex(indexRecord.size)}${indexRecord.checksum}`;
  const [piece, entry] = await Promise.all([
    computePath(commitment, inclusionProof.proofSubtree),
    computePath(await hashParent(indexRecord.proofIndex, record), inclusionProof.proofIndex),
  ]);
  return { piece, entry };
}

async function computePath(
  leaf: string,
  { index, path }: { index: string; path: readonly string[] },
): Promise<MerkleStep[]> {
  const steps: MerkleStep[] = [];
  let node = leaf;
  let at = BigInt(`0x${index}`);
  for (const sibling of path) {
    const isRight = at % 2n === 1n;
    steps.push({ node, sibling, isRight });
    node = isRight ? await hashParent(sibling, node) : await hashParent(node, sibling);
    at /= 2n;
  }
  return [...steps, { node, isRight: false }];
}

/** SHA-256 of both children, with the two top bits of the last byte cleared. */
async function hashParent(left: string, right: string): Promise<string> {
  const bytes = Uint8Array.from(`${left}${right}`.match(/../g) ?? [], (hex) => Number.parseInt(hex, 16));
  const hash = new Uint8Array(await crypto.subtle.digest("SHA-256", bytes));
  hash[31] = (hash[31] ?? 0) & 0x3f;
  return Array.from(hash, (byte) => byte.toString(16).padStart(2, "0")).join("");
}

/** 8 bytes, little-endian, as hex. */
function toLittleEndianHex(value: number): string {
  const view = new DataView(new ArrayBuffer(8));
  view.setBigUint64(0, BigInt(value), true);
  return Array.from(new Uint8Array(view.buffer), (byte) => byte.toString(16).padStart(2, "0")).join("");
}
