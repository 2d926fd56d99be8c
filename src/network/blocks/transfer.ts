import { deriveSignal, notify, throwIfAborted } from "../../base/async/abort.ts";
import { explainRefusal } from "../../base/errors/content.ts";
import { notComparable } from "../../base/errors/verification.ts";
import type { ResolvedCall } from "../../base/options.ts";
import { parseChunkProfile } from "../../formats/cid/chunk-profile.ts";
import { chooseError, type GatewayReport, openGateways } from "./gateways.ts";
import { type Attempt, afterFailure, afterSlowStream, isNotOffered, nextStep, type ReadState } from "./next-read.ts";
import { createOutput, type Output, type TransferSettings, type TransferTarget } from "./output.ts";
import { findFile, parseBlockId } from "./read-file.ts";
import { type Reading, readByBlocks, readPartial, readStream, SLOW, type VerifiedBy } from "./read-whole.ts";
import { createTreeSearch } from "./stream-switch.ts";

/** How a file was downloaded. */
export interface DownloadReport {
  /** Whether every byte is proved to be that of the content id: always, unless `verifyCid` is `false`. */
  verified: boolean;
  /** What proved it: the tree of blocks, or that a known way to split the file yields its content id. */
  by: VerifiedBy | undefined;
  /** In the order of the list. */
  gateways: GatewayReport[];
}

/** A file on its way from the gateways. */
export interface Transfer {
  /** Writes the file to a target that may be committed only if this succeeds. Called once. */
  into(target: TransferTarget): Promise<void>;
  /** Fetches the rest of the file to where its start is kept, and nowhere else. Called once, instead. */
  complete(): Promise<void>;
  /** Passes the report to the caller. */
  report(): void;
}

/** A call that transfers a file. */
export interface TransferCall extends ResolvedCall {
  verifyCid: boolean;
  chunkProfile?: string | undefined;
  onDownloaded?: ((report: DownloadReport) => void) | undefined;
}

/**
 * Prepares to transfer a file; nothing is sent yet. It is read from one gateway in one request, and if that fails, from
 * where it failed, by the blocks that any of the gateways sends, or from the next gateway. Each part is verified before it
 * is written, if a gateway sends blocks; otherwise the whole file is, at its end.
 *
 * @throws `NOT_VERIFIED` for a content id that cannot be verified, but has to be
 */
export function openTransfer(cid: string, call: TransferCall, settings: TransferSettings): Transfer {
  const { verifyCid, chunkProfile, idleTimeoutMs, onDownloaded } = call;
  const { overhead = 0, partial } = settings;
  const profile = parseChunkProfile(chunkProfile);
  const id = verifyCid ? parseBlockId(cid) : undefined;
  if (verifyCid && !id) throw notComparable(cid);
  // A raw block is the file.
  const hasTree = id?.codec === "dag-pb";
  const gateways = openGateways(call);
  const listed = gateways.list();
  const isOnly = listed.length === 1;
  let attempts: readonly Attempt[] = listed.map((tracked) => ({ tracked, isPatient: isOnly, mayBeSlow: false }));
  const failures: { url: string; error: unknown }[] = [];
  let by: VerifiedBy | undefined;

  /** Reads the file, or its rest; returns why that failed, unless that ends the call. */
  async function attempt(output: Output, work: () => Promise<VerifiedBy | undefined>) {
    try {
      by = await work();
      return undefined;
    } catch (error) {
      throwIfAborted(call.signal);
      output.throwIfFailed();
      return { error };
    }
  }

  /** Reads the file from its start; returns whether that succeeded, or is to be repeated. */
  async function read(output: Output, signal: AbortSignal): Promise<boolean> {
    const search = createTreeSearch(() => findFile(cid, "", { ...call, signal }, gateways), signal);
    const reading: Reading = { cid, id, profile, provesEnd: overhead > 0, idleTimeoutMs, search, output, signal };
    // Beside the file.
    if (hasTree) search.start();
    const known = hasTree && partial && partial.size > 0 ? await search.find() : undefined;
    if (known && partial) await readPartial(reading, partial, known);
    let state: ReadState = { attempts, hasTree: known !== undefined, triesBlocks: output.position() > 0 };
    for (;;) {
      const step = nextStep(state, output.position());
      if (step.do === "start over") {
        ({ attempts } = state);
        return false;
      }
      if (step.do === "fail") throw explainRefusal(chooseError(failures));
      if (step.do === "blocks") {
        const tree = await search.find();
        throwIfAborted(call.signal);
        if (tree && !(await attempt(output, () => readByBlocks(reading, tree)))) return true;
        state = { ...state, hasTree: tree !== undefined, triesBlocks: false };
        continue;
      }
      const { tracked } = step.attempt;
      const failure = await attempt(output, () => readStream(reading, step.attempt));
      if (!failure) {
        tracked.addSuccess();
        return true;
      }
      const { error } = failure;
      if (error === SLOW) {
        state = afterSlowStream(state);
        continue;
      }
      if (!isNotOffered(error)) tracked.addFailure(error);
      failures.push({ url: tracked.gateway.url, error });
      state = afterFailure(state, error, { position: output.position(), isOnly, isVerifiable: id !== undefined });
    }
  }

  async function into(target: TransferTarget): Promise<void> {
    const output = createOutput(target, settings);
    for (let isRead = false; !isRead; ) {
      const { signal, end } = deriveSignal(call.signal);
      isRead = await read(output, signal).finally(end);
      if (!isRead) await output.restart();
    }
    await output.end();
    throwIfAborted(call.signal);
  }

  return {
    into,
    complete: () => into({ write: async () => undefined, restart: async () => undefined }),
    report: () => notify(onDownloaded, { verified: by !== undefined, by, gateways: gateways.report() }),
  };
}
