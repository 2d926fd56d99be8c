import { readCid } from "../../cid/content-id.ts";
import { createFileMatcher } from "../../cid/match.ts";
import { cidMismatch, cidNotVerifiable } from "../../errors/verification.ts";

type Chunks = AsyncIterable<Uint8Array>;

/**
 * Returns a function that passes the chunks of a file through and fails at their end unless their content id is `cid`.
 *
 * @throws `UNSUPPORTED` at once for an id that cannot be verified; `CID_MISMATCH` at the end of the chunks
 */
export function verifyChunks(cid: string): (chunks: Chunks) => Chunks {
  const expected = readCid(cid);
  if (!expected) throw cidNotVerifiable(cid);
  return async function* (chunks) {
    const matcher = createFileMatcher(expected);
    for await (const chunk of chunks) {
      await matcher.update(chunk);
      yield chunk;
    }
    const { matches, got } = await matcher.finish();
    if (!matches) throw cidMismatch({ expected: cid, got });
  };
}
