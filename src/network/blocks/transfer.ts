import { deriveSignal, notify, throwIfAborted } from "../../base/async/abort.ts";
import { isKeeplightError } from "../../base/errors/base.ts";
import { explainRefusal } from "../../base/errors/content.ts";
import { notComparable } from "../../base/errors/verification.ts";
import type { ResolvedCall } from "../../base/options.ts";
import { parseChunkProfile } from "../../formats/cid/chunk-profile.ts";
import { chooseError, type GatewayReport, openGateways } from "./gateways.ts";
import { createOutput, type Output, type TransferSettings, type TransferTarget } from "./output.ts";
import { findFile, parseBlockId } from "./read-file.ts";
import {
  type Attempt,
  type Reading,
  readByBlocks,
  readPartial,
  readStream,
  SLOW,
  type VerifiedBy,
} from "./read-whole.ts";
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
export function openTransfer(cid: string, call: TransferCall, settings: TransferSettings) {
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
  const all: readonly Attempt[] = listed.map((tracked) => ({ tracked, isPatient: isOnly, mayBeSlow: false }));
  let attempts = all;
  let failures: { url: string; error: unknown }[] = [];
  /** Why the tree of blocks is of no use: a gateway has its root, and none has all that leads to the file's bytes. */
  let treeFailure: unknown;
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
    const search = createTreeSearch(async () => {
      if (treeFailure !== undefined) throw treeFailure;
      return findFile(cid, "", { ...call, signal }, gateways);
    }, signal);
    const reading: Reading = { cid, id, profile, provesEnd: overhead > 0, idleTimeoutMs, search, output, signal };
    // Beside the file.
    if (hasTree) search.start();
    const known = hasTree && partial && partial.size > 0 ? await search.find() : undefined;
    if (known && partial) await readPartial(reading, partial, known);
    // With the tree of blocks every gateway can continue where another one stopped.
    let isTreeKnown = known !== undefined;
    let triesBlocks = output.position() > 0;
    for (;;) {
      if (triesBlocks) {
        const tree = await search.find();
        throwIfAborted(call.signal);
        if (tree && !(await attempt(output, () => readByBlocks(reading, tree)))) return true;
        isTreeKnown = tree !== undefined;
      }
      const [first, ...others] = attempts;
      if (!first) {
        treeFailure = search.loss();
        // Starting again would lose what is kept.
        if (treeFailure === undefined || partial) throw explainRefusal(chooseError(failures));
        attempts = all;
        failures = [];
        return false;
      }
      // Nothing proves that its file starts with what another gateway has sent.
      if (output.position() > 0 && !isTreeKnown) return false;
      const { tracked, isPatient } = first;
      const failure = await attempt(output, () => readStream(reading, first));
      if (!failure) {
        tracked.addSuccess();
        return true;
      }
      const { error } = failure;
      if (error === SLOW) {
        attempts = [{ ...first, mayBeSlow: true }, ...others];
        triesBlocks = true;
        continue;
      }
      const isOffered = !isNotOffered(error);
      if (isOffered) tracked.addFailure(error);
      failures.push({ url: tracked.gateway.url, error });
      const isLate = !isPatient && isKeeplightError(error, "TIMEOUT");
      attempts = isLate ? [...others, { ...first, isPatient: true }] : others;
      // Those of other gateways, or of the only one if it does not know the request, or just broke.
      const hasBroken = output.position() > 0 && isKeeplightError(error, "NETWORK");
      triesBlocks = id !== undefined && (!isOnly || !isOffered || hasBroken);
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
    /** Writes the file to a target that may be committed only if this succeeds. Called once. */
    into,
    /** Passes the report to the caller. */
    report: () => notify(onDownloaded, { verified: by !== undefined, by, gateways: gateways.report() }),
  };
}

const NOT_OFFERED: ReadonlySet<number> = new Set([404, 405, 501]);

/** Whether a gateway that sends blocks may just not know the network's own request. */
function isNotOffered(error: unknown): boolean {
  return isKeeplightError(error, "HTTP_STATUS") && NOT_OFFERED.has(error.details.status);
}
