import { sha256 } from "#platform";
import { blockMismatch } from "../../base/errors/content.ts";
import { networkError } from "../../base/errors/transport.ts";
import { cidMismatch, endNotProved, nothingProves } from "../../base/errors/verification.ts";
import type { ChunkProfile } from "../../formats/cid/chunk-profile.ts";
import { encodeCid, formatCid, readCid } from "../../formats/cid/content-id.ts";
import { type ComputedCid, createFileMatcher } from "../../formats/cid/match.ts";
import type { IncomingBody } from "../http/client.ts";
import { type BlockId, isBlock, MAX_BLOCK_BYTES } from "./block-id.ts";
import { isLeaf, verifyStream } from "./file-tree.ts";
import type { TrackedGateway } from "./gateways.ts";
import type { Output, PartialStart } from "./output.ts";
import { type FileSource, readFile } from "./read-file.ts";
import { createStreamReader, type StreamReader } from "./stream-reader.ts";
import { createPace, type TreeSearch } from "./stream-switch.ts";

/** What proves that bytes are those of a content id: the tree of blocks, or that the known ways to split a file yield it. */
export type VerifiedBy = "blocks" | "profile";

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

/**
 * Reads what is kept of the file as far as it is right: each part once it is verified by the tree of blocks. A part that is
 * not there as a whole is left out.
 *
 * @throws what the output and fetching blocks throw
 */
export async function readPartial({ cid, output, signal }: Reading, partial: PartialStart, tree: FileSource) {
  const { root, readBlock } = tree;
  const end = blockMismatch(cid, "", { from: 0, to: partial.size });
  try {
    await verifyStream(createStreamReader(partial.read()), {
      root,
      from: 0,
      readBlock: (id) => readBlock(id, signal),
      mismatch: () => end,
      truncated: () => end,
      async release(chunk) {
        await output.writeKept(chunk);
        await output.report(output.position(), root.size);
      },
      signal,
    });
  } catch (error) {
    if (error !== end) throw error;
  }
}

/** Reads the rest of the file by its blocks, from any gateway. */
export async function readByBlocks({ output, signal }: Reading, tree: FileSource): Promise<VerifiedBy> {
  const { size } = tree.root;
  await output.prepare(size);
  for await (const chunk of readFile(tree, { from: output.position(), to: size }, signal)) {
    await output.write(chunk);
    await output.report(output.position(), size);
  }
  return "blocks";
}

/** A gateway to request the whole file from. */
export interface Attempt {
  tracked: TrackedGateway;
  /** Whether it may be silent for as long as the call allows: while others are left, none is waited for long. */
  isPatient: boolean;
  /** Whether ranges have failed already: then it may be slow. */
  mayBeSlow: boolean;
}

/** How long a gateway may be silent while others are left, in milliseconds. */
const PATIENCE_MS = 2_000;

/** The rest of a file, as one gateway sends it. */
interface Sent extends Omit<IncomingBody, "chunks"> {
  stream: StreamReader;
  /** Of the gateway. */
  url: string;
}

/**
 * Reads the rest of the file from one gateway, in one request.
 *
 * @returns what proved it, unless its bytes need no proof
 * @throws {@link SLOW} if it may be faster in ranges, which the gateway sends; `CID_MISMATCH`; `NOT_VERIFIED` at the end of
 * bytes that nothing proves; what requests, the search and the output throw
 */
export function readStream(reading: Reading, attempt: Attempt): Promise<VerifiedBy | undefined> {
  const { cid, id, provesEnd, idleTimeoutMs, search, output, signal } = reading;
  const { tracked, isPatient, mayBeSlow } = attempt;
  const { gateway } = tracked;
  const { url } = gateway;
  const started = performance.now();
  const silenceMs = isPatient ? idleTimeoutMs : Math.min(idleTimeoutMs, PATIENCE_MS);
  return gateway.receiveFile(cid, signal, silenceMs, async ({ chunks, size, endIsProven }) => {
    tracked.addAnswer(performance.now() - started);
    if (size !== undefined) output.announce(size);
    const canSwitch = id?.codec === "dag-pb" && !mayBeSlow && size !== undefined;
    const pace = canSwitch ? createPace(gateway, size, search, signal) : undefined;
    const stream = createStreamReader(countLoaded(chunks, output, size, pace));
    await stream.advance(output.position());
    const sent = { stream, size, endIsProven, url };
    if (id) return id.codec === "raw" ? checkRaw(reading, id, sent) : checkByTree(reading, id, sent);
    // Nothing else reveals a truncated file.
    if (!endIsProven && !provesEnd) return checkByProfile(reading, sent, (tried) => endNotProved({ cid, url, tried }));
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
  pace: ReturnType<typeof createPace> | undefined,
): AsyncGenerator<Uint8Array> {
  let loaded = 0;
  let since = performance.now();
  for await (const chunk of chunks) {
    pace?.add(chunk.length, performance.now() - since);
    loaded += chunk.length;
    await output.report(loaded, total);
    yield chunk;
    if (pace?.shouldSwitch(loaded)) throw SLOW;
    since = performance.now();
  }
}

/** Writes a file that is one block of bytes. */
async function checkRaw({ cid, output }: Reading, id: BlockId, { stream, url }: Sent): Promise<VerifiedBy> {
  const bytes = await stream.take(MAX_BLOCK_BYTES + 1);
  if (await isBlock(id, [bytes])) {
    await output.write(bytes);
    return "blocks";
  }
  const expected = readCid(cid);
  if (!expected || bytes.length > MAX_BLOCK_BYTES) throw blockMismatch(cid, url, { from: 0, to: bytes.length });
  const got = formatCid(encodeCid(1, "raw", await sha256(bytes)), expected.base);
  throw cidMismatch({ expected: cid, got, url });
}

/** Up to here a file may be a single block that is not raw. */
const SMALL_FILE_BYTES = 256 * 1024;

/**
 * Writes a file, each part once it is verified by the tree of blocks, or, if no gateway sends blocks, all of it, which is
 * verified at the end.
 */
async function checkByTree(reading: Reading, id: BlockId, sent: Sent): Promise<VerifiedBy> {
  const { cid, search, output, signal } = reading;
  const { stream, size, endIsProven, url } = sent;
  const position = output.position();
  if (position === 0) {
    const start = await stream.peek(SMALL_FILE_BYTES + 1);
    if (start.length <= SMALL_FILE_BYTES && (await isLeaf(id, [start]))) {
      await output.write(start);
      return "blocks";
    }
  }
  const tree = await search.find();
  if (!tree) return checkByProfile(reading, sent, (tried) => nothingProves({ cid, url, tried }, search.failure()));
  const { root, readBlock } = tree;
  const mismatch = (from: number, to: number) => blockMismatch(cid, url, { from, to });
  if (size !== undefined && size !== root.size) throw mismatch(Math.min(size, root.size), Math.max(size, root.size));
  const early = new Error("The file ends early");
  await verifyStream(stream, {
    root,
    from: position,
    readBlock: (below) =>
      readBlock(below, signal).catch((error: unknown) => {
        search.addLoss(error);
        throw error;
      }),
    mismatch,
    truncated: (at) => (endIsProven ? mismatch(at, root.size) : networkError({ method: "POST", url }, early)),
    release: output.write,
    signal,
  });
  return "blocks";
}

/**
 * Writes a file from its start, and then proves it by a known way to split it.
 *
 * @param refuse - returns the error of bytes that no known way proves
 */
async function checkByProfile(
  { cid, profile, output }: Reading,
  { stream }: Sent,
  refuse: (tried: readonly ComputedCid[]) => Error,
): Promise<VerifiedBy> {
  const expected = readCid(cid);
  const matcher = expected && createFileMatcher(expected, profile);
  for (let chunk = await stream.next(); chunk.length > 0; chunk = await stream.next()) {
    await matcher?.update(chunk);
    await output.write(chunk);
  }
  const { matches, tried } = (await matcher?.finish()) ?? { matches: false, tried: [] };
  if (!matches) throw refuse(tried);
  return "profile";
}
