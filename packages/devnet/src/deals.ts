import { createHash } from "node:crypto";
import {
  Aggregate,
  type MerkleTreeNode,
  Piece,
  type PieceDigest,
  type ProofData,
  Segment,
} from "@web3-storage/data-segment";
import { create } from "@web3-storage/data-segment/multihash";
import { CID } from "multiformats/cid";
import { create as createDigest } from "multiformats/hashes/digest";
import type { Ledger } from "./content/ledger.ts";
import { type ContentStore, parseCid } from "./content/store.ts";
import { listFolder, type ReadBlock, readFile, readNode } from "./content/tree.ts";
import type { ResolvedOptions } from "./options.ts";
import type { StoredMap } from "./state/stored-map.ts";

const FIRST_DEAL = 180_001;
const PROVIDER = "17840";

/** A deal with a storage provider that stores a file. */
type Deal = NonNullable<Awaited<ReturnType<DealBook["find"]>>>;

type DealBook = ReturnType<typeof createDealBook>;

/**
 * Creates a book of the deals for the uploads in `ledger`.
 *
 * @param dealIds - by content id
 */
export function createDealBook(
  content: Pick<ContentStore, "read">,
  ledger: Ledger,
  { proofDelayMs, proofMaxBytes }: Pick<ResolvedOptions, "proofDelayMs" | "proofMaxBytes">,
  dealIds: StoredMap<number>,
) {
  const stopped = new AbortController();
  const created = new Map<string, { dealId: number; inclusion: Promise<ReturnType<typeof includePiece>> }>();

  const readBlock: ReadBlock = (cid) => {
    stopped.signal.throwIfAborted();
    return content.read(cid);
  };

  function create(cid: CID) {
    const inclusion = computePiece(readContent(readBlock, cid)).then(includePiece);
    const dealId = dealIds.get(String(cid)) ?? FIRST_DEAL + dealIds.size;
    dealIds.set(String(cid), dealId);
    const deal = { dealId, inclusion };
    created.set(String(cid), deal);
    return deal;
  }

  return {
    /**
     * Returns the deal that includes the upload `cid`; `undefined` before the delay has passed, above the size limit, and
     * for unknown or deleted uploads. The piece is of the file's bytes, or of the concatenated files of a folder; it is
     * computed on the first call.
     */
    async find(cid: string) {
      const root = parseCid(cid)?.toV1();
      const record = ledger.findFirst(cid);
      if (!record || !root) return undefined;
      const createdAt = record.createdAt + proofDelayMs;
      const bytes = Number(record.fileSizeInBytes);
      if (Date.now() < createdAt || bytes > proofMaxBytes) return undefined;
      const { dealId, inclusion } = created.get(String(root)) ?? create(root);
      return { dealId, storageProvider: PROVIDER, cid: record.cid, bytes, createdAt, inclusion: await inclusion };
    },
    /** Cancels running computations; their calls fail. */
    stop: () => stopped.abort(),
  };
}

/** Yields the bytes of a file, or of all files in a folder in the order of their names. */
async function* readContent(readBlock: ReadBlock, cid: CID): AsyncGenerator<Uint8Array> {
  const node = await readNode(readBlock, cid);
  if (node.kind === "file") yield* readFile(readBlock, cid);
  else {
    const entries = await listFolder(readBlock, node);
    entries.sort((a, b) => (a.name < b.name ? -1 : 1));
    for (const entry of entries) yield* readContent(readBlock, entry.cid);
  }
}

/** Computes the piece of some bytes (CommP), as storage providers seal it. Holds one chunk at a time. */
export async function computePiece(content: AsyncIterable<Uint8Array>): Promise<PieceDigest> {
  const hasher = create();
  for await (const chunk of content) hasher.write(chunk);
  return hasher.digest();
}

/** Numbers of other pieces before and after the one that is proved, all of the same size. */
const OTHERS = { before: 5, after: 2 };

/** Minimum padded bytes of an aggregate, 64 MiB, and the number of equal pieces that fit into a larger one. */
const MIN_AGGREGATE_BYTES = 2n ** 26n;
const PIECES_PER_AGGREGATE = 16n;

/**
 * Builds an aggregate of a piece and made-up ones, which is the subject of the deal, and proves that it includes the
 * piece (FRC-0058), in the API host's format.
 */
function includePiece({ root, height }: PieceDigest) {
  const piece = { root, height, padding: 0n };
  const pieceSize = 2n ** BigInt(height) * 32n;
  const requiredSize = pieceSize * PIECES_PER_AGGREGATE;
  const size = Aggregate.Size.from(requiredSize > MIN_AGGREGATE_BYTES ? requiredSize : MIN_AGGREGATE_BYTES);
  const count = OTHERS.before + OTHERS.after;
  const others = Array.from({ length: count }, (_, n) => ({ ...piece, root: createOtherRoot(root, n) }));
  const pieces = [...others.slice(0, OTHERS.before), piece, ...others.slice(OTHERS.before)];
  const aggregate = Aggregate.build({ pieces, size });
  const { ok: proof, error } = aggregate.resolveProof(Piece.toLink(piece));
  if (!proof) throw error;
  const [subtree, index] = proof;
  const record = { root: piece.root, offset: subtree[0] * pieceSize, size: pieceSize };
  return {
    aggregateCid: String(Piece.toInfo(aggregate).link),
    /** Padded bytes of the aggregate. */
    aggregateSize: Number(size),
    proof: {
      verifierData: { commPc: toHex(Piece.toInfo(piece).link.bytes), sizePc: pieceSize.toString(16) },
      inclusionProof: { proofIndex: toWirePath(index), proofSubtree: toWirePath(subtree) },
      indexRecord: {
        checksum: toHex(Segment.computeChecksum(record)),
        proofIndex: toHex(root),
        proofSubtree: Number(record.offset),
        size: Number(record.size),
      },
    },
  };
}

function createOtherRoot(root: Uint8Array, n: number): MerkleTreeNode {
  const node = createHash("sha256").update(root).update(`other ${n}`).digest();
  node[31] = (node[31] ?? 0) & 0x3f;
  return Uint8Array.from(node) as MerkleTreeNode;
}

function toWirePath([index, path]: ProofData) {
  return { index: index.toString(16), path: path.map(toHex) };
}

function toHex(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString("hex");
}

/** Start of the chain's first epoch, in milliseconds since 1970, and length of an epoch. */
const GENESIS = 1_598_306_400_000;
const EPOCH_MS = 30_000;

/** Epochs from a deal's creation to its start, and from its start to its end: 1 and 540 days. */
const EPOCHS_TO_START = 2_880;
const EPOCHS_OF_DEAL = 1_555_200;

/** Formats a deal as in the API host's response. */
export function toDealResponse({ dealId, storageProvider, cid, bytes, createdAt, inclusion }: Deal) {
  const startEpoch = Math.floor((createdAt - GENESIS) / EPOCH_MS) + EPOCHS_TO_START;
  const { aggregateCid, aggregateSize } = inclusion;
  return {
    chainDealID: dealId,
    endEpoch: startEpoch + EPOCHS_OF_DEAL,
    publishCID: toMessageCid(`deal ${dealId}: ${aggregateCid}`),
    storageProvider,
    dealStatus: "Sealing: Proving",
    dealUUID: toUuid(`deal ${dealId}: ${aggregateCid}`),
    startEpoch,
    aggregateIn: aggregateCid,
    providerCollateral: "0",
    pieceCID: aggregateCid,
    payloadCid: cid,
    pieceSize: aggregateSize,
    carFileSize: bytes,
    lastUpdate: createdAt,
    dealId,
    miner: `t0${storageProvider}`,
    content: dealId,
  };
}

/** Returns a content id like that of a message on the chain: dag-cbor, SHA-256. */
function toMessageCid(text: string): string {
  return CID.createV1(0x71, createDigest(0x12, createHash("sha256").update(text).digest())).toString();
}

/** Derives a UUID, so that it is the same in every response. */
function toUuid(text: string): string {
  const hex = createHash("sha256").update(text).digest("hex");
  return hex.replace(/^(.{8})(.{4}).(.{3}).(.{3})(.{12}).*$/, "$1-$2-4$3-8$4-$5");
}
