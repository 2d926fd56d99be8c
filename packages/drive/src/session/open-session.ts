import { createApiKey, isKeeplightError, KeeplightError, type SignerLike } from "keeplight";
import {
  copyOptions,
  getOwnerAddress,
  isSameAddress,
  type OptionSchema,
  ownerCallSchema,
  resolveOptions,
  resolveSigner,
  signInToKeyNodes,
  wholeNumber,
} from "keeplight/parts";
import { forgetDrive } from "../memory.ts";
import { createQueue } from "../queue.ts";
import {
  changeTimes,
  type EndedSession,
  endSession,
  findJournal,
  follow,
  forgetJournal,
  forgetSession,
  isOver,
  type KeptSession,
  startSession,
  toNetwork,
} from "./kept.ts";
import type { Session, SessionCallOptions, SessionOptions, SessionState, SignInOptions } from "./session.ts";
import { deleteJournal, openSessionJournal, type SessionJournal } from "./session-journal.ts";
import { createSessionSigner, removeToken, sessionEnded } from "./session-signer.ts";
import { openVault } from "./vault.ts";

const DAY_MS = 86_400_000;
const MAX_DAYS = 365;

/** Longest wait of a timer, in milliseconds. */
const MAX_TIMER_MS = 2 ** 31 - 1;

const endsAfterMs = wholeNumber(DAY_MS, 1, MAX_DAYS * DAY_MS);

const schema = { ...ownerCallSchema, endsAfterMs } satisfies OptionSchema<SignInOptions>;

/** Failures of key nodes, which a later call may not have: it signs in then. */
const NODE_FAILURES = [
  "NETWORK",
  "TIMEOUT",
  "HTTP_STATUS",
  "INVALID_JSON",
  "INVALID_RESPONSE",
  "NODE_REFUSED",
] as const;

/** Tabs learn from each other that something has changed, not what. */
const CHANNEL = "keeplight session";

/** A session that this tab shows. */
interface Shown {
  kept: KeptSession;
  options: SessionCallOptions;
  place: SessionJournal | undefined;
  isActive: boolean;
}

/**
 * Opens the session of this site: the account that is signed in, in this tab and all others, until a time that its user
 * sets. What is kept is sealed by a key that pages can use, but not read; databases have random names. For pages only.
 *
 * @throws `INVALID_OPTION`, `JOURNAL_DAMAGED`, `CANNOT_WRITE`
 *
 * @example
 * const session = await openSession();
 * if (session.state().status === "signed-out") await session.signIn({ signer: window.ethereum, endsAfterMs: 3_600_000 });
 * const state = session.state();
 * if (state.status === "signed-in" && state.options.journal) await openDrive(state.options);
 */
export async function openSession(options: SessionOptions = {}): Promise<Session> {
  const { endpoints } = copyOptions(options);
  const network = toNetwork(endpoints);
  const vault = await openVault();
  const channel = new BroadcastChannel(CHANNEL);
  const listeners = new Set<() => void>();
  const inOrder = createQueue();
  let state: SessionState = { status: "signed-out" };
  let shown: Shown | undefined;
  let wallet: { signer: SignerLike; address: string } | undefined;
  let timer: ReturnType<typeof setTimeout> | undefined;
  /** Counted, so that what was started before has no late effect. */
  let connects = 0;
  let ends = 0;
  let isClosed = false;

  function tellOthers(): void {
    if (!isClosed) channel.postMessage("changed");
  }

  function setState(next: SessionState): void {
    state = next;
    for (const listener of listeners) {
      try {
        listener();
      } catch {
        // Its error is none of the change.
      }
    }
  }

  /** Shows nothing any more; what runs cannot start anything new. */
  function end(other?: string): void {
    ends++;
    if (shown) shown.isActive = false;
    shown = undefined;
    clearTimeout(timer);
    if (state.status === "signed-in" || state.other !== other) {
      setState({ status: "signed-out", ...(other !== undefined && { other }) });
    }
  }

  function publish(): void {
    if (!shown) return;
    const { account, endsAt } = shown.kept;
    const walletAccount = wallet && !isSameAddress(account, wallet.address) ? wallet.address : undefined;
    const { options } = shown;
    const next = { status: "signed-in", account, endsAt, isKept: vault.isKept, walletAccount, options } as const;
    const fields = ["status", "account", "endsAt", "walletAccount", "options"] as const;
    const before = state as typeof next;
    if (!fields.every((field) => before[field] === next[field])) setState(next);
    watchEnd(endsAt);
  }

  function watchEnd(endsAt: number): void {
    clearTimeout(timer);
    if (isClosed) return;
    // A clock that was set, or a machine that slept, is noticed by the next look at what is kept.
    timer = setTimeout(() => void inOrder(look).catch(() => undefined), Math.min(endsAt - Date.now(), MAX_TIMER_MS));
  }

  async function show(kept: KeptSession): Promise<void> {
    if (shown?.kept.id === kept.id) {
      shown.kept = kept;
      return publish();
    }
    replace((await createShown(kept)).shown);
  }

  function replace(next: Shown): void {
    if (shown) shown.isActive = false;
    shown = next;
    publish();
  }

  /** @param own - the wallet that has just signed for it. Default the one that is connected */
  async function createShown(kept: KeptSession, own?: SignerLike) {
    const assertActive = () => {
      if (!shown.isActive || isOver(shown.kept, Date.now())) throw sessionEnded();
    };
    const { signer, ...token } = createSessionSigner(kept, vault, {
      assertActive,
      wallet: () => own ?? wallet?.signer,
    });
    const place = vault.isKept ? await openSessionJournal(kept.journal, assertActive) : undefined;
    const options = { apiKey: kept.apiKey, signer, journal: place?.journal, ...(endpoints && { endpoints }) };
    const shown: Shown = { kept, options: Object.freeze(options), place, isActive: true };
    return { shown, ...token };
  }

  /** Looks at what is kept, shows it, and removes what is left of sessions that have ended. */
  async function look(): Promise<void> {
    let over: string | undefined;
    const { current, ended } = await vault.change((kept) => {
      over = kept.current && isOver(kept.current, Date.now()) ? kept.current.id : undefined;
      return endSession(kept, over);
    });
    if (over !== undefined) tellOthers();
    const before = shown;
    const { show: found, other } = follow({ current, ended, journals: {} }, network, before?.kept.account, Date.now());
    if (found) await show(found);
    else end(other);
    const own = before && before.kept.id !== found?.id ? [before.kept] : [];
    for (const each of [...ended, ...own]) await clear(each);
  }

  /** Removes what is left of a session that has ended, but not what is not complete. */
  async function clear({ id, account, journal }: EndedSession): Promise<void> {
    await removeToken(vault, id);
    const { current, journals } = await vault.read();
    const isLeft = vault.isKept && current?.journal !== journal && Object.values(journals).includes(journal);
    if (isLeft) await forgetDrive((await openSessionJournal(journal, () => undefined)).entries, account);
    await vault.change((kept) => forgetSession(kept, id));
  }

  /** Removes what is kept of a session that this tab does not show any more. */
  async function finish(over: KeptSession): Promise<void> {
    await vault.change((kept) => endSession(kept, over.id));
    tellOthers();
    await clear(over);
  }

  async function signIn(given: SignInOptions): Promise<void> {
    const copied = { ...copyOptions(given), endpoints };
    const { endsAfterMs: lasts, ...call } = resolveOptions(schema, copied);
    const account = await getOwnerAddress(call);
    const signer = await resolveSigner(copied.signer);
    await look();
    const endsBefore = ends;
    const startedAt = Date.now();
    const times = { startedAt, endsAt: startedAt + lasts };
    if (shown && isSameAddress(shown.kept.account, account)) {
      use({ signer, address: account });
      return changeEnd(shown, times);
    }
    const { signal, timeoutMs, acceptMessage } = copied;
    const apiKey = await createApiKey({ signer, endpoints, signal, timeoutMs, acceptMessage });
    const journal = findJournal(await vault.read(), account, network) ?? createName();
    const session: KeptSession = { id: createName(), account, apiKey, network, ...times, journal };
    const next = await createShown(session, signer);
    next.holdToken();
    await signInToKeyNodes({ ...call, signer: next.shown.options.signer }).catch((error: unknown) => {
      if (!NODE_FAILURES.some((code) => isKeeplightError(error, code))) throw error;
    });
    // Whoever locks while the wallet is asked wants no session.
    if (ends !== endsBefore || isClosed) throw sessionEnded();
    const { ended } = await vault.change((kept) => startSession(kept, session));
    use({ signer, address: account });
    replace(next.shown);
    tellOthers();
    await next.keepToken();
    for (const each of ended) await clear(each);
  }

  function use(next: typeof wallet): void {
    connects++;
    wallet = next;
  }

  async function changeEnd({ kept: { id } }: Shown, times: Pick<KeptSession, "startedAt" | "endsAt">): Promise<void> {
    await vault.change((kept) => changeTimes(kept, id, times));
    tellOthers();
    await look();
    if (shown?.kept.id !== id) throw sessionEnded();
  }

  const onVisible = () => void inOrder(look).catch(() => undefined);
  channel.onmessage = onVisible;
  globalThis.document?.addEventListener("visibilitychange", onVisible);

  function close(): void {
    isClosed = true;
    if (shown) shown.isActive = false;
    clearTimeout(timer);
    channel.close();
    globalThis.document?.removeEventListener("visibilitychange", onVisible);
  }

  try {
    await inOrder(look);
  } catch (error) {
    close();
    throw error;
  }

  return {
    state: () => state,
    subscribe(listener) {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
    signIn: (given) => inOrder(() => signIn(given)),
    async connect(next) {
      const turn = ++connects;
      const signer = next && (await resolveSigner(next));
      const connected = signer && { signer, address: await signer.getAddress() };
      if (turn !== connects) return;
      wallet = connected;
      publish();
    },
    resume: () =>
      inOrder(async () => {
        end();
        await look();
      }),
    async endAfter(ms) {
      const checked = endsAfterMs(ms, "ms");
      await inOrder(async () => {
        if (!shown) throw sessionEnded();
        const startedAt = Date.now();
        await changeEnd(shown, { startedAt, endsAt: startedAt + checked });
      });
    },
    async lock() {
      const over = shown?.kept;
      // At once: what else is under way may wait for a wallet.
      end();
      if (over) await inOrder(() => finish(over));
    },
    signOut: ({ discard = false } = {}) =>
      inOrder(async () => {
        const over = shown;
        if (!over) return;
        if (!discard) await assertComplete(over);
        end();
        await finish(over.kept);
        const { journal } = over.kept;
        await vault.change((known) => forgetJournal(known, journal));
        if (over.place) await deleteJournal(journal);
      }),
    close,
  };
}

/** Throws `SESSION_UNFINISHED` if something in the journal is not complete; nothing new starts in it meanwhile. */
async function assertComplete(session: Shown): Promise<void> {
  session.isActive = false;
  const open = (await session.place?.countOpen()) ?? { operations: 0, unsaved: false };
  if (open.operations === 0 && !open.unsaved) return;
  session.isActive = true;
  throw sessionUnfinished(open);
}

const ID_BYTES = 16;

/** Creates a name that says nothing: 32 hex digits. */
const createName = (): string =>
  Array.from(crypto.getRandomValues(new Uint8Array(ID_BYTES)), (byte) => byte.toString(16).padStart(2, "0")).join("");

const sessionUnfinished = (details: { operations: number; unsaved: boolean }) =>
  new KeeplightError("SESSION_UNFINISHED", "Signing out would lose what is not complete in this browser", { details });
