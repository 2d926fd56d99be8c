import { createHash, randomUUID } from "node:crypto";
import { toContentKey } from "./content/store.ts";

/** A deal with a storage provider that proves again and again that it has a file at hand. */
interface PdpDeal {
  publicKey: string;
  cid: string;
  id: string;
  /** Milliseconds since 1970. */
  createdAt: number;
}

/** Creates an empty book of those deals. Each is completed `proofDelayMs` after its request. */
export function createPdpBook(proofDelayMs: number) {
  const deals: PdpDeal[] = [];
  const listOf = (cid: string) => deals.filter((deal) => toContentKey(deal.cid) === toContentKey(cid));
  return {
    /** Requests a deal for an account's file. Requesting it again changes nothing. */
    request(publicKey: string, cid: string): void {
      if (listOf(cid).some((deal) => deal.publicKey === publicKey)) return;
      deals.push({ publicKey, cid, id: randomUUID(), createdAt: Date.now() });
    },
    /** Lists the deals for a file, of all accounts, in the API host's format. */
    list: (cid: string) => listOf(cid).map((deal) => toPdpResponse(deal, proofDelayMs)),
  };
}

function toPdpResponse({ publicKey, cid, id, createdAt }: PdpDeal, proofDelayMs: number) {
  const completedAt = createdAt + proofDelayMs;
  const isCompleted = Date.now() >= completedAt;
  return {
    publicKey,
    dealStatus: isCompleted ? "completed" : "pending",
    updatedAt: new Date(isCompleted ? completedAt : createdAt).toISOString(),
    createdAt: new Date(createdAt).toISOString(),
    transactionDetails: {
      RootCID: cid,
      // nobody serves it
      DownloadURL: `https://pdp.invalid/piece/${cid}`,
      TXHash: `0x${createHash("sha256").update(`pdp ${id}`).digest("hex")}`,
    },
    cid,
    id,
  };
}
