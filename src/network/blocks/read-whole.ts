import { endNotProved } from "../../base/errors/verification.ts";
import type { ChunkProfile } from "../../formats/cid/chunk-profile.ts";
import type { BlockId } from "./block-id.ts";
import { checkByBlocks, checkByProfile, checkPartial, type PartialStart, type VerifiedBy } from "./check-whole.ts";
import type { Attempt } from "./next-read.ts";
import type { Output } from "./output.ts";
import { type FileSource, readFile } from "./read-file.ts";
import { createStreamReader } from "./stream-reader.ts";
import { createPace, createRangeProbe, type TreeSearch } from "./stream-switch.ts";

/** A file that is read from its start. */
export interface Reading {
  cid: string;
  /** Undefined if its bytes need no proof. */
  id: BlockId | undefined;
  /** A way to split the file, besides those that are known. */
  profile: ChunkProfile | undefined;
  /** Whether the consumer notices a truncated file. */
  provesEnd: boolean;
  /** How long a gateway may be silent, in milliseconds. */
  idleTimeoutMs: number;
  search: TreeSearch;
  output: Output;
  signal: AbortSignal;
}

/** How long a gateway may be silent while others are left, in milliseconds. */
const PATIENCE_MS = 2_000;

/** Reads what is kept of the file, as far as blocks prove it. */
export async function readPartial({ output, signal }: Reading, partial: PartialStart, tree: FileSource): Promise<void> {
  const release = async (chunk: Uint8Array) => {
    await output.writeKept(chunk);
    await output.report(output.position(), tree.root.size);
  };
  await checkPartial(partial, tree, release, signal);
}

/** Reads the rest of the file by its blocks. */
export async function readByBlocks({ output, signal }: Reading, tree: FileSource): Promise<VerifiedBy> {
  const { size } = tree.root;
  for await (const chunk of readFile(tree, { from: output.position(), to: size }, signal)) {
    await output.write(chunk);
    await output.report(output.position(), size);
  }
  return "blocks";
}

/**
 * Reads the rest of the file from one gateway, in one request.
 *
 * @throws {@link SLOW} if it may be faster in ranges, which the gateway sends
 */
export function readStream(reading: Reading, attempt: Attempt): Promise<VerifiedBy | undefined> {
  const { cid, id, profile, provesEnd, idleTimeoutMs, search, output, signal } = reading;
  const { tracked, isPatient, mayBeSlow } = attempt;
  const { gateway } = tracked;
  const started = performance.now();
  const silenceMs = isPatient ? idleTimeoutMs : Math.min(idleTimeoutMs, PATIENCE_MS);
  return gateway.receiveFile(cid, signal, silenceMs, async ({ chunks, size, endIsProven }) => {
    tracked.addAnswer(performance.now() - started);
    if (size !== undefined) await output.announce(size);
    const canSwitch = id?.codec === "dag-pb" && !mayBeSlow;
    const probe = canSwitch ? createRangeProbe(gateway, search.find, signal) : undefined;
    const stream = createStreamReader(countLoaded(chunks, output, size, probe));
    const position = output.position();
    await stream.advance(position);
    const { url } = gateway;
    const file = { cid, stream, position, size, endIsProven, url, profile, release: output.write, signal };
    if (id) return checkByBlocks(file, id, search);
    // Nothing else reveals a truncated file.
    if (!endIsProven && !provesEnd) return checkByProfile(file, (tried) => endNotProved({ cid, url, tried }));
    for (let chunk = await stream.next(); chunk.length > 0; chunk = await stream.next()) await output.write(chunk);
    return undefined;
  });
}

/** Ends a slow stream whose rest is to be read in ranges. */
export const SLOW = new Error("The stream is slow");

async function* countLoaded(
  chunks: AsyncIterable<Uint8Array>,
  output: Output,
  total: number | undefined,
  canSwitch?: () => boolean,
): AsyncGenerator<Uint8Array> {
  const pace = createPace();
  let loaded = 0;
  let since = performance.now();
  for await (const chunk of chunks) {
    pace.add(chunk.length, performance.now() - since);
    loaded += chunk.length;
    await output.report(loaded, total);
    yield chunk;
    if (canSwitch && total !== undefined && pace.isSlow(total - loaded) && canSwitch()) throw SLOW;
    since = performance.now();
  }
}
