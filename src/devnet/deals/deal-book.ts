import { contentKey } from "../content/cids.ts";
import type { Ledger } from "../content/ledger.ts";
import { readContent } from "../content/read-content.ts";
import type { ContentStore } from "../content/store.ts";
import type { ResolvedOptions } from "../options.ts";
import { type Inclusion, includePiece } from "./inclusion.ts";
import { computePiece } from "./piece.ts";

const FIRST_DEAL = 180_001;
const PROVIDER = "17840";

/** A deal with a storage provider that holds a file. */
export interface Deal {
  dealId: number;
  storageProvider: string;
  /** Content id of the file, as it was answered at its upload. */
  cid: string;
  /** Bytes of the file, before padding. */
  bytes: number;
  /** Milliseconds since 1970. */
  madeAt: number;
  inclusion: Inclusion;
}

/** Deals by content id. */
export interface DealBook {
  /**
   * The deal that holds what was uploaded under `cid`; `undefined` before the delay is over, for more than
   * the limit, and for what is not there (any more). The piece is that of the file's own bytes, in a folder
   * of all its files' bytes; it is computed at the first question.
   */
  find(cid: string): Promise<Deal | undefined>;
  /** Ends computations under way, whose questions fail. */
  stop(): void;
}

/** Makes a book that looks for uploads in `ledger`. */
export function createDealBook(
  content: ContentStore,
  ledger: Ledger,
  { proofDelayMs, proofMaxBytes }: Pick<ResolvedOptions, "proofDelayMs" | "proofMaxBytes">,
): DealBook {
  const stopped = new AbortController();
  const made = new Map<string, { dealId: number; inclusion: Promise<Inclusion> }>();

  function make(key: string): { dealId: number; inclusion: Promise<Inclusion> } {
    const inclusion = computePiece(readContent(content, key, stopped.signal)).then(includePiece);
    const deal = { dealId: FIRST_DEAL + made.size, inclusion };
    made.set(key, deal);
    return deal;
  }

  return {
    async find(cid) {
      const key = contentKey(cid);
      const record = ledger.first(cid);
      if (!record || key === undefined) return undefined;
      const madeAt = record.createdAt + proofDelayMs;
      const bytes = Number(record.fileSizeInBytes);
      if (Date.now() < madeAt || bytes > proofMaxBytes) return undefined;
      const { dealId, inclusion } = made.get(key) ?? make(key);
      return { dealId, storageProvider: PROVIDER, cid: record.cid, bytes, madeAt, inclusion: await inclusion };
    },
    stop: () => stopped.abort(),
  };
}
