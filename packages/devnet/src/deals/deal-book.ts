import { toContentKey } from "../content/cids.ts";
import type { Ledger } from "../content/ledger.ts";
import { readContent } from "../content/read-content.ts";
import type { ContentStore } from "../content/store.ts";
import type { ResolvedOptions } from "../options.ts";
import { type Inclusion, includePiece } from "./inclusion.ts";
import { computePiece } from "./piece.ts";

const FIRST_DEAL = 180_001;
const PROVIDER = "17840";

/** A deal with a storage provider that stores a file. */
export interface Deal {
  dealId: number;
  storageProvider: string;
  /** Content id of the file, as the response to its upload had it. */
  cid: string;
  /** Bytes of the file, before padding. */
  bytes: number;
  /** Milliseconds since 1970. */
  createdAt: number;
  inclusion: Inclusion;
}

/** Deals by content id. */
export interface DealBook {
  /**
   * Returns the deal that includes the upload `cid`; `undefined` before the delay has passed, above the size limit, and
   * for unknown or deleted uploads. The piece is of the file's bytes, or of the concatenated files of a folder; it is
   * computed on the first call.
   */
  find(cid: string): Promise<Deal | undefined>;
  /** Cancels running computations; their calls fail. */
  stop(): void;
}

/** Creates a book of the uploads in `ledger`. */
export function createDealBook(
  content: ContentStore,
  ledger: Ledger,
  { proofDelayMs, proofMaxBytes }: Pick<ResolvedOptions, "proofDelayMs" | "proofMaxBytes">,
): DealBook {
  const stopped = new AbortController();
  const created = new Map<string, { dealId: number; inclusion: Promise<Inclusion> }>();

  function create(key: string): { dealId: number; inclusion: Promise<Inclusion> } {
    const inclusion = computePiece(readContent(content, key, stopped.signal)).then(includePiece);
    const deal = { dealId: FIRST_DEAL + created.size, inclusion };
    created.set(key, deal);
    return deal;
  }

  return {
    async find(cid) {
      const key = toContentKey(cid);
      const record = ledger.findFirst(cid);
      if (!record || key === undefined) return undefined;
      const createdAt = record.createdAt + proofDelayMs;
      const bytes = Number(record.fileSizeInBytes);
      if (Date.now() < createdAt || bytes > proofMaxBytes) return undefined;
      const { dealId, inclusion } = created.get(key) ?? create(key);
      return { dealId, storageProvider: PROVIDER, cid: record.cid, bytes, createdAt, inclusion: await inclusion };
    },
    stop: () => stopped.abort(),
  };
}
