import * as z from "zod/mini";
import { PIECE_PREFIX } from "./piece-cid.ts";

/** Most hashes of a path: sizes have 64 bits. */
const MAX_PATH = 63;

const text = (form: RegExp) => z.string().check(z.regex(form));
const hex = text(/^[0-9a-f]{1,16}$/);
const hash = text(/^[0-9a-f]{64}$/);
const bytes = z.int().check(z.minimum(0));
const merklePath = z.looseObject({ index: hex, path: z.array(hash).check(z.maxLength(MAX_PATH)) });

/** The proof for one deal. */
export const inclusion = z.looseObject({
  verifierData: z.looseObject({ commPc: text(new RegExp(`^${PIECE_PREFIX}[0-9a-f]{64}$`)), sizePc: hex }),
  inclusionProof: z.looseObject({ proofIndex: merklePath, proofSubtree: merklePath }),
  indexRecord: z.looseObject({
    checksum: text(/^[0-9a-f]{32}$/),
    proofIndex: hash,
    proofSubtree: bytes,
    size: bytes,
  }),
});

/** A response of `getProof`. */
export const response = z.looseObject({
  pieceCID: z.optional(z.string()),
  dealInfo: z.array(
    z.looseObject({ dealId: z.union([z.number(), z.string()]), storageProvider: z.string(), proof: inclusion }),
  ),
});
