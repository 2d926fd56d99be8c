import { setTimeout as pause } from "node:timers/promises";
import { type ErrorCode, isKeeplightError, iterateFiles, KeeplightError } from "keeplight";
import { hashFile, isKnown, relay, resolveCall, type SourceFile, toNodeName } from "keeplight/parts";
import { checkFiles } from "../check-files.ts";
import { isDiskFull, respondError } from "../responses.ts";
import { type Account, routeToNetwork } from "../route.ts";
import { checkAnnounced, describeFile } from "./metadata.ts";
import { isEnded, type Spool, type StoredFile, type UploadRecord } from "./spool.ts";

/** Before the next attempt: at first, at most while the network is down, and at most after other failures, in milliseconds. */
const FIRST_PAUSE_MS = 5_000;
const MAX_OUTAGE_PAUSE_MS = 300_000;
const MAX_PAUSE_MS = 3_600_000;

/** Before a network is asked again whether it has what it was just sent, in milliseconds. */
const LISTED_MS = 5_000;

/** Before each look into the listing of the account, in milliseconds. */
const LISTING_WAITS_MS = [0, 1_000, 2_000, 4_000];

/** For how long one attempt may take, in milliseconds: what matters is that bytes flow. */
const MAX_STORING_MS = 86_400_000;

/** How many uploads one process stores at the same time. */
const MAX_AT_ONCE = 4;

export type Storing = ReturnType<typeof createStoring>;

/** What this process does about an upload: it makes an attempt, or waits for the next one. */
interface Run {
  attempt: Promise<void>;
  /** Of the attempt before. */
  error?: unknown;
}

/**
 * Creates what stores complete uploads on the network, each once: by one of the processes that share the spool, again and again
 * until it is stored, and never again what an attempt of before may have stored.
 *
 * @param getAccount - throws if the server has no API key
 * @param report - receives the error of each attempt
 */
export function createStoring(spool: Spool, getAccount: () => Account, report: (error: unknown) => void) {
  /** By the ids of uploads. */
  const running = new Map<string, Run>();

  let free = MAX_AT_ONCE;
  const waiting: (() => void)[] = [];

  /** Returns whether there is nothing left to do, which is so unless another process is at it. */
  async function attempt(id: string): Promise<boolean> {
    if (free > 0) free--;
    else await new Promise<void>((resolve) => waiting.push(resolve));
    try {
      return await attemptNow(id);
    } finally {
      const next = waiting.shift();
      if (next) next();
      else free++;
    }
  }

  async function attemptNow(id: string): Promise<boolean> {
    const record = await spool.read(id);
    if (!record || !(await isDue(id, record))) return true;
    const lock = await spool.takeLock(id, "storing");
    if (!lock) return false;
    try {
      const now = await spool.read(id);
      if (now && (await isDue(id, now))) await store(id, now);
      return true;
    } finally {
      // Its number stays taken: others may be looking at it.
      await lock.release().catch(() => undefined);
    }
  }

  async function isDue(id: string, record: UploadRecord): Promise<boolean> {
    return !isEnded(record) && (await spool.countArrived(id)) === record.size;
  }

  async function store(id: string, record: UploadRecord): Promise<void> {
    const account = getAccount();
    const hashed = await hash(id, record).catch(async (error: unknown) => {
      if (!isOfTheFile(error)) throw error;
      await refuse(id, error);
      await spool.discardBytes(id);
    });
    if (!hashed) return;
    const stored =
      record.answered ??
      (await findStored(id, hashed, record, account)) ??
      (await send(id, record, account).catch((error: unknown) => {
        // Only the upload node's own words are about the file.
        if (!isRefusal(error)) throw error;
        return refuse(id, error);
      }));
    if (!stored) return;
    const { Hash } = stored;
    if (hashed.has(Hash) || (await hashed.yields(Hash, resolveCall(toCall(account))))) {
      await spool.update(id, { stored, storedAt: Date.now() });
      return spool.discardBytes(id);
    }
    const ids = { expected: hashed.cids[0] ?? "", got: Hash };
    const message = `The content id does not match the bytes: expected ${ids.expected}, got ${ids.got}`;
    return refuse(id, new KeeplightError("CID_MISMATCH", message, { details: ids }));
  }

  /** Checks an upload, and computes its content ids. */
  async function hash(id: string, record: UploadRecord) {
    checkAnnounced(record.size, record.metadata, record.limits);
    return hashFile(await openChecked(id, record), { onRead: () => undefined });
  }

  /** Gives an upload up. Its bytes stay until it is forgotten: nobody else may have them. */
  async function refuse(id: string, error: unknown): Promise<undefined> {
    const response = respondError(error);
    await spool.update(id, { refused: { status: response.status, body: await response.json() } });
    report(error);
  }

  /** Opens an upload as the file that it is described as, whose bytes are checked while they are read. */
  async function openChecked(id: string, { metadata, limits, size }: UploadRecord): Promise<SourceFile> {
    const { name, type, isEncrypted } = describeFile(metadata);
    async function* parts() {
      yield { field: "file", name, type, chunks: read() };
    }
    async function* read() {
      yield* spool.open(id);
    }
    const { value: file } = await checkFiles(parts(), { ...limits, folders: false }, isEncrypted).next();
    return { ...(file as SourceFile), size };
  }

  /** Finds what an attempt whose response was lost has stored in the account. */
  async function findStored(
    id: string,
    { cids, has }: Awaited<ReturnType<typeof hashFile>>,
    { sentAt, metadata }: UploadRecord,
    account: Account,
  ): Promise<StoredFile | undefined> {
    if (sentAt === undefined) return undefined;
    const { name, isEncrypted, storage } = describeFile(metadata);
    const call = toCall(account);
    const isListed = async () => (await Promise.all(cids.map((cid) => isKnown(cid, call)))).includes(true);
    if (!(await isListed())) {
      // It may have taken the file a moment ago.
      await pause(LISTED_MS);
      if (!(await isListed())) return undefined;
    }
    // It may be somebody else's, have been stored long before, or be that of another upload of the same file. Listings lag
    // behind: what is not in the first one may be in a later one.
    const since = sentAt - CLOCK_DIFFERENCE_MS;
    for (const waitMs of LISTING_WAITS_MS) {
      await pause(waitMs);
      let others = await countStored(id, name, has, since);
      for await (const file of iterateFiles({ apiKey: account.bearer, storage, maxRows: ALL_ROWS, ...call })) {
        const { cid, fileName, fileSizeInBytes, createdAt, encryption } = file;
        const isSame =
          has(cid) && toNodeName(fileName ?? "") === toNodeName(name) && (encryption ?? isEncrypted) === isEncrypted;
        const isNew = createdAt !== null && createdAt >= since;
        if (isSame && isNew && others-- === 0) return { Name: name, Hash: cid, Size: fileSizeInBytes ?? undefined };
      }
    }
    return undefined;
  }

  /** Counts the other uploads here that the network has stored as the same file, `since` then. */
  async function countStored(
    own: string,
    name: string,
    isSame: (cid: string) => boolean,
    since: number,
  ): Promise<number> {
    let count = 0;
    for (const id of await spool.list()) {
      const { answered, stored = answered, storedAt = since } = (id === own ? undefined : await spool.read(id)) ?? {};
      if (stored && storedAt >= since && isSame(stored.Hash) && toNodeName(stored.Name) === toNodeName(name)) count++;
    }
    return count;
  }

  /** Sends an upload; what the network answers is on the disk before it is looked at. */
  async function send(id: string, record: UploadRecord, account: Account): Promise<StoredFile> {
    if (record.sentAt === undefined) await spool.update(id, { sentAt: Date.now() });
    async function* file() {
      yield await openChecked(id, record);
    }
    const call = resolveCall({
      ...toCall(account),
      timeoutMs: MAX_STORING_MS,
      idleTimeoutMs: record.limits.idleTimeoutMs,
    });
    const route = routeToNetwork(describeFile(record.metadata), account);
    const [{ Name, Hash, Size }] = await relay({ files: file, route }, call);
    const answered = { Name, Hash, Size };
    await spool.update(id, { answered });
    return answered;
  }

  /** Starts to store an upload, again after each failure, unless this process is at it already. */
  function start(id: string, pauseMs = 0, failures = 0): Run {
    const known = running.get(id);
    if (known) return known;
    const run: Run = { attempt: Promise.resolve() };
    running.set(id, run);

    function startAgain(maxPauseMs: number, error?: unknown): void {
      running.delete(id);
      start(id, Math.min(maxPauseMs, FIRST_PAUSE_MS * 2 ** failures), failures + 1).error = error;
    }
    run.attempt = pause(pauseMs, undefined, { ref: false })
      .then(() => attempt(id))
      .then(
        (isOver) => void (isOver ? running.delete(id) : startAgain(FIRST_PAUSE_MS)),
        (error: unknown) => {
          report(error);
          startAgain(isOutage(error) ? MAX_OUTAGE_PAUSE_MS : MAX_PAUSE_MS, error);
        },
      );
    return run;
  }

  return {
    start: (id: string): void => void start(id),

    /** Starts to store all uploads that are complete, such as after a restart. */
    async resume(): Promise<void> {
      for (const id of await spool.list()) {
        try {
          const record = await spool.read(id);
          if (record && (await isDue(id, record))) start(id);
        } catch (error) {
          report(error);
        }
      }
    },

    /** Waits for an upload that is complete, but not for longer than this. Returns what the last attempt has thrown, if it has. */
    async settle(id: string, waitMs: number): Promise<unknown> {
      const end = new AbortController();
      const { attempt, error } = start(id);
      if (error !== undefined) return error;
      await Promise.race([
        attempt,
        pause(waitMs, undefined, { signal: end.signal, ref: false }).catch(() => undefined),
      ]);
      end.abort();
      return running.get(id)?.error;
    },
  };
}

const OF_THE_FILE = ["UPLOAD_REFUSED", "INVALID_SOURCE", "FILE_TOO_LARGE", "DUPLICATE_NAME"] as const;

/** Whether an error is about what was uploaded, which no attempt will change. */
function isOfTheFile(error: unknown): boolean {
  return OF_THE_FILE.some((code) => isKeeplightError(error, code));
}

/** Statuses by which the network refuses this account, or this moment, not this file. */
const NOT_OF_THE_FILE = new Set([401, 402, 403, 404, 408, 429]);

function isRefusal(error: unknown): boolean {
  if (!isKeeplightError(error, "HTTP_STATUS")) return false;
  const { status } = error.details;
  return status >= 400 && status < 500 && !NOT_OF_THE_FILE.has(status);
}

/** Whether the network, or the disk, may accept soon what it does not now. */
export function isOutage(error: unknown): boolean {
  if (isDiskFull(error)) return true;
  if (isKeeplightError(error, "HTTP_STATUS")) return error.details.status >= 500 || error.details.status === 429;
  return ["NETWORK", "TIMEOUT", "INVALID_JSON", "INVALID_RESPONSE"].some((code) =>
    isKeeplightError(error, code as ErrorCode),
  );
}

const toCall = ({ endpoints }: Account) => ({ endpoints: { ...endpoints } });

/** How much the clocks of this machine and of the network may differ, in milliseconds. */
const CLOCK_DIFFERENCE_MS = 900_000;

/** More than any account has. */
const ALL_ROWS = Number.MAX_SAFE_INTEGER;
