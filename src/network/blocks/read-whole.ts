import { deriveSignal, throwIfAborted } from "../../base/async/abort.ts";
import { isKeeplightError } from "../../base/errors/base.ts";
import { explainRefusal } from "../../base/errors/content.ts";
import { endNotProved, notComparable } from "../../base/errors/verification.ts";
import type { ResolvedCall } from "../../base/options.ts";
import type { ChunkProfile } from "../../formats/cid/chunk-profile.ts";
import {
  checkByBlocks,
  checkByProfile,
  keepRest,
  type PartialStart,
  readPartial,
  type VerifiedBy,
} from "./check-whole.ts";
import { chooseError, type GatewayReport, openGateways, type TrackedGateway } from "./gateways.ts";
import { type FileSource, findFile, parseBlockId, readFile } from "./read-file.ts";
import { createStreamReader } from "./stream-reader.ts";
import { createPace, createRangeProbe, createTreeSearch, type TreeSearch } from "./stream-switch.ts";

/** How a file was downloaded. */
export interface DownloadReport {
  /** Whether every byte is proved to be that of the content id: always, unless `verifyCid` is `false`. */
  verified: boolean;
  /** What proved it: the tree of blocks, or that a known way to split the file yields its content id. */
  by: VerifiedBy | undefined;
  /** In the order of the list. */
  gateways: GatewayReport[];
}

/** How to read a whole file. */
interface WholeFileOptions {
  /** Whether to refuse bytes that nothing proves. */
  verify: boolean;
  /** A way to split the file, besides those that are known. */
  profile: ChunkProfile | undefined;
  /** Whether the consumer notices a truncated file. */
  provesEnd: boolean;
  /** Where the start of the file is kept that earlier calls have received. */
  partial?: PartialStart | undefined;
  /** Receives the size of the file; an error that it throws ends the call. */
  onSize(bytes: number): void;
  /** Receives how many bytes have arrived; an error that it throws ends the call. */
  onLoaded(bytes: number, total: number | undefined): void;
}

/** How long a gateway may be silent while others are left, in milliseconds. */
const PATIENCE_MS = 2_000;

/**
 * Opens a file to read all of it: from one gateway in one request, and if that fails, from where it failed, by the
 * blocks that any of the gateways sends, or from the next gateway. Each part is verified before it is yielded, if a
 * gateway sends blocks; otherwise the whole file is, at its end.
 *
 * @throws `NOT_VERIFIED` at once for a content id that cannot be verified, but has to be
 */
export function openWholeFile(cid: string, call: ResolvedCall, options: WholeFileOptions) {
  const { verify, profile, provesEnd, partial } = options;
  const id = verify ? parseBlockId(cid) : undefined;
  if (verify && !id) throw notComparable(cid);
  const gateways = openGateways(call);
  const listed = gateways.list();
  const isOnly = listed.length === 1;
  const attempts = listed.map((tracked): Attempt => ({ tracked, isPatient: isOnly }));
  const failures: { url: string; error: unknown }[] = [];
  let callerError: unknown;
  let by: VerifiedBy | undefined;

  /** Calls a listener of the caller, whose error is no failure of a gateway. */
  function notify(listener: () => void): void {
    try {
      listener();
    } catch (error) {
      callerError = error;
      throw error;
    }
  }

  /** Passes the chunks on; throws {@link SLOW} for a slow stream whose rest can be read in ranges. */
  async function* countLoaded(chunks: AsyncIterable<Uint8Array>, total: number | undefined, probe?: () => boolean) {
    let loaded = 0;
    const pace = createPace();
    let since = performance.now();
    for await (const chunk of chunks) {
      pace.add(chunk.length, performance.now() - since);
      loaded += chunk.length;
      notify(() => options.onLoaded(loaded, total));
      yield chunk;
      if (probe && total !== undefined && pace.isSlow(total - loaded) && probe()) throw SLOW;
      since = performance.now();
    }
  }

  /** Yields the file from `position` on, in one request. */
  async function* readStream(
    { tracked, isPatient, mayBeSlow }: Attempt,
    run: Run,
    position: number,
  ): AsyncGenerator<Uint8Array> {
    const { gateway, addAnswer, addSuccess } = tracked;
    const started = performance.now();
    const idleTimeoutMs = isPatient ? call.idleTimeoutMs : Math.min(call.idleTimeoutMs, PATIENCE_MS);
    const body = await gateway.openFile(cid, run.signal, { idleTimeoutMs });
    const { size, endIsProven } = body;
    try {
      addAnswer(performance.now() - started);
      if (size !== undefined) notify(() => options.onSize(size));
      const canSwitch = id?.codec === "dag-pb" && !mayBeSlow;
      const probe = canSwitch ? createRangeProbe(gateway, run.search.find, run.signal) : undefined;
      const stream = createStreamReader(countLoaded(body.chunks, size, probe));
      await stream.advance(position);
      const { url } = gateway;
      const file = { cid, stream, position, size, endIsProven, url, profile, signal: run.signal };
      if (id) by = yield* checkByBlocks(file, id, run.search);
      else if (endIsProven || provesEnd) yield* stream.rest();
      // Nothing else reveals a truncated file.
      else by = yield* checkByProfile(file, (tried) => endNotProved({ cid, url, tried }));
      addSuccess();
    } finally {
      body.close();
    }
  }

  async function* read(run: Run, start: number): AsyncGenerator<Uint8Array> {
    let position = start;

    /** Yields the rest by its blocks; returns whether that succeeded. */
    async function* readRest(tree: FileSource): AsyncGenerator<Uint8Array, boolean> {
      const { size } = tree.root;
      try {
        for await (const chunk of readFile(tree, { from: position, to: size }, run.signal)) {
          yield chunk;
          position += chunk.length;
          notify(() => options.onLoaded(position, size));
        }
        by = "blocks";
        return true;
      } catch (error) {
        throwIfAborted(call.signal);
        if (error === callerError) throw error;
        return false;
      }
    }

    const known = position > 0 ? await run.search.find() : undefined;
    if (known && (yield* readRest(known))) return;
    for (let attempt = attempts.shift(); attempt; attempt = attempts.shift()) {
      const { tracked, isPatient } = attempt;
      try {
        for await (const chunk of readStream(attempt, run, position)) {
          yield chunk;
          position += chunk.length;
        }
        return;
      } catch (error) {
        throwIfAborted(call.signal);
        if (error === callerError) throw error;
        if (error === SLOW) {
          const ranges = await run.search.find();
          if (ranges && (yield* readRest(ranges))) return;
          attempts.unshift({ tracked, isPatient, mayBeSlow: true });
          continue;
        }
        if (!isNotOffered(error)) tracked.addFailure(error);
        failures.push({ url: tracked.gateway.url, error });
        if (!isPatient && isKeeplightError(error, "TIMEOUT")) attempts.push({ tracked, isPatient: true });
        const tree = id && canUseBlocks(error, position, isOnly) ? await run.search.find() : undefined;
        if (tree) {
          if (yield* readRest(tree)) return;
        } else if (position > 0 && attempts.length > 0) throw error;
      }
    }
    throw explainRefusal(chooseError(failures));
  }

  /** Yields what is kept of the file, as far as blocks prove it, then the rest. */
  async function* readAndKeep(partial: PartialStart, run: Run): AsyncGenerator<Uint8Array> {
    let position = 0;
    const tree = id?.codec === "dag-pb" && partial.size > 0 ? await run.search.find() : undefined;
    if (tree) {
      for await (const chunk of readPartial(partial, tree, run.signal)) {
        yield chunk;
        position += chunk.length;
        notify(() => options.onLoaded(position, tree.root.size));
      }
    }
    yield* keepRest(partial, position, read(run, position));
  }

  async function* chunks(): AsyncGenerator<Uint8Array> {
    const { signal, end } = deriveSignal(call.signal);
    const find = () => findFile(cid, "", { ...call, signal }, gateways);
    const search = createTreeSearch(find, signal);
    try {
      // Beside the file; a raw block is the file.
      if (id?.codec === "dag-pb") search.start();
      const run = { signal, search };
      yield* partial ? readAndKeep(partial, run) : read(run, 0);
    } finally {
      end();
    }
  }

  return {
    /** Yields its bytes. */
    chunks,
    /** Whether the file may be read again, from its start, after this error: another gateway is left. */
    canStartOver: (error: unknown) => attempts.length > 0 && failures.at(-1)?.error === error,
    report: (): DownloadReport => ({ verified: by !== undefined, by, gateways: gateways.report() }),
  };
}

/** A gateway to request the file from. */
interface Attempt {
  tracked: TrackedGateway;
  /** Whether it may be silent for as long as the call allows. */
  isPatient: boolean;
  /** Whether ranges have failed already. */
  mayBeSlow?: boolean;
}

/** Ends a slow stream whose rest is to be read in ranges. */
const SLOW = new Error("The stream is slow");

/** One pass over a file. */
interface Run {
  signal: AbortSignal;
  /** Finds the tree of blocks. */
  search: TreeSearch;
}

const NOT_OFFERED: ReadonlySet<number> = new Set([404, 405, 501]);

/** Whether a gateway that sends blocks may just not know the network's own request. */
function isNotOffered(error: unknown): boolean {
  return isKeeplightError(error, "HTTP_STATUS") && NOT_OFFERED.has(error.details.status);
}

/** Whether blocks may lead to a file after its stream failed: of other gateways, or of the only one if it just broke. */
function canUseBlocks(error: unknown, position: number, isOnly: boolean): boolean {
  return !isOnly || isNotOffered(error) || (position > 0 && isKeeplightError(error, "NETWORK"));
}
