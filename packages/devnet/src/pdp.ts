import { createHash, randomUUID } from "node:crypto";
import { toContentKey } from "./content/store.ts";
import type { StoredMap } from "./state/stored-map.ts";

/** A deal with a storage provider that proves again and again that it has a file at hand. */
interface PdpDeal {
  publicKey: string;
  cid: string;
  id: string;
  /** Milliseconds since 1970. */
  createdAt: number;
}

/** Creates the book of those deals, by their ids. Each is completed `proofDelayMs` after its request. */
export function createPdpBook(proofDelayMs: number, deals: StoredMap<PdpDeal>) {
  const listOf = (cid: string) => [...deals.values()].filter((deal) => toContentKey(deal.cid) === toContentKey(cid));
  return {
    /** Requests a deal for an account's file. Requesting it again changes nothing. */
    request(publicKey: string, cid: string): void {
      if (listOf(cid).some((deal) => deal.publicKey === publicKey)) return;
      const id = randomUUID();
      deals.set(id, { publicKey, cid, id, createdAt: Date.now() });
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
