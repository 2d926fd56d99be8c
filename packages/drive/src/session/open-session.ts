import { createApiKey, type Signer } from "keeplight";
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
import { createQueue } from "../queue.ts";
import {
  changeTimes,
  endSession,
  findJournal,
  follow,
  forgetJournal,
  isOver,
  type KeptSession,
  reserveJournal,
  startSession,
  toNetwork,
} from "./kept.ts";
import type { Session, SessionOptions, SessionState, SignInOptions } from "./session.ts";
import { deleteJournal } from "./session-journal.ts";
import { pinSigner, sessionEnded } from "./session-signer.ts";
import { assertComplete, clearSession, createName, createShown, type Shown } from "./shown-session.ts";
import { openVault } from "./vault.ts";

const DAY_MS = 86_400_000;
const MAX_DAYS = 365;

/** Longest wait of a timer, in milliseconds. */
const MAX_TIMER_MS = 2 ** 31 - 1;

const endsAfterMs = wholeNumber(DAY_MS, 1, MAX_DAYS * DAY_MS);

const schema = { ...ownerCallSchema, endsAfterMs } satisfies OptionSchema<SignInOptions>;

/** Tabs learn from each other that something has changed, not what. */
const CHANNEL = "keeplight session";

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
  // Where there is none, tabs learn from each other when they are shown.
  const channel = typeof BroadcastChannel === "undefined" ? undefined : new BroadcastChannel(CHANNEL);
  const listeners = new Set<() => void>();
  const inOrder = createQueue();
  /** A sign-in waits for its wallet: what else is done does not. */
  const withWallet = createQueue();
  let state: SessionState = { status: "signed-out" };
  let shown: Shown | undefined;
  /** The account that this tab shows, or showed last: another one takes its place only if its user wants that. */
  let expected: string | undefined;
  let wallet: { signer: Signer; address: string } | undefined;
  let timer: ReturnType<typeof setTimeout> | undefined;
  /** Counted, so that what was started before has no late effect. */
  let connects = 0;
  let locks = 0;
  /** Ids of sessions that have ended, even if that could not be written. */
  const over = new Set<string>();
  let isClosed = false;

  /** @param ended - id of a session that has ended */
  function notifyTabs(ended?: string): void {
    if (!isClosed) channel?.postMessage({ ended });
  }

  function setState(next: SessionState): void {
    state = next;
    for (const listener of [...listeners]) {
      try {
        listener();
      } catch {
        // Its error is none of the change.
      }
    }
  }

  /** Shows nothing any more; what runs cannot start anything new. */
  function end(other?: string): void {
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
    timer = setTimeout(lookSoon, Math.min(endsAt - Date.now(), MAX_TIMER_MS));
  }

  async function show(kept: KeptSession): Promise<void> {
    if (shown?.kept.id === kept.id) {
      shown.kept = kept;
      return publish();
    }
    replace((await createShown(vault, kept, endpoints, () => wallet?.signer)).shown);
  }

  function replace(next: Shown): void {
    if (shown) shown.isActive = false;
    shown = next;
    expected = next.kept.account;
    publish();
  }

  /** Looks at what is kept, shows it, and removes what is left of sessions. A closed tab ends none: no other one would know. */
  async function look(): Promise<void> {
    let isChanged = false;
    const kept = await vault.change((known) => {
      const isEnded = !isClosed && known.current && (over.has(known.current.id) || isOver(known.current, Date.now()));
      isChanged = isEnded === true;
      return isEnded ? endSession(known, known.current?.id) : known;
    });
    if (isChanged) notifyTabs();
    const before = shown;
    const { show: found, other } = follow(kept, network, expected, Date.now());
    if (found) await show(found);
    else end(other);
    const own = before && before.kept.id !== found?.id ? [before.kept] : [];
    // What cannot be removed now is tried again by the next look.
    for (const each of [...kept.ended, ...own]) void clearSession(vault, each).catch(() => undefined);
  }

  /** Looks once what is under way has ended. A session whose time is over ends, even if what is kept cannot be read. */
  const lookSoon = () => {
    inOrder(look).catch(() => shown && isOver(shown.kept, Date.now()) && end());
  };

  /** Ends what this tab shows, at once; then removes what is kept of it. */
  function endShown(): () => Promise<void> {
    const ended = shown?.kept;
    locks++;
    expected = undefined;
    end();
    if (!ended) return async () => undefined;
    over.add(ended.id);
    notifyTabs(ended.id);
    return async () => {
      await vault.change((kept) => endSession(kept, ended.id));
      await clearSession(vault, ended);
    };
  }

  async function signIn(given: SignInOptions): Promise<void> {
    const copied = { ...copyOptions(given), endpoints };
    const { endsAfterMs: lasts, ...call } = resolveOptions(schema, copied);
    const account = await getOwnerAddress(call);
    const signer = await resolveSigner(copied.signer);
    const startedAt = Date.now();
    const times = { startedAt, endsAt: startedAt + lasts };
    const isSignedIn = await inOrder(async () => {
      await look();
      if (!shown || !isSameAddress(shown.kept.account, account)) return false;
      use({ signer, address: account });
      await changeEnd(shown, times);
      return true;
    });
    if (isSignedIn) return;
    const locksBefore = locks;
    const { signal, timeoutMs, acceptMessage } = copied;
    const own = pinSigner(signer, account);
    const apiKey = await createApiKey({ signer: own, endpoints, signal, timeoutMs, acceptMessage });
    const kept = await vault.change((known) => reserveJournal(known, account, network, createName()));
    const journal = findJournal(kept, account, network) ?? createName();
    const session: KeptSession = { id: createName(), account, apiKey, network, ...times, journal };
    let signs: Signer | undefined = own;
    const next = await createShown(vault, session, endpoints, () => signs ?? wallet?.signer);
    next.holdToken();
    await signInToKeyNodes({ ...call, signer: next.shown.options.signer });
    await inOrder(async () => {
      // A user who locks while the wallet is asked wants no session.
      if (locks !== locksBefore || isClosed) throw sessionEnded();
      const { ended } = await vault.change((known) => startSession(known, session));
      use({ signer, address: account });
      signs = undefined;
      replace(next.shown);
      notifyTabs();
      await next.keepToken();
      for (const each of ended) void clearSession(vault, each).catch(() => undefined);
    });
  }

  function use(next: typeof wallet): void {
    connects++;
    wallet = next;
  }

  async function changeEnd({ kept: { id } }: Shown, times: Pick<KeptSession, "startedAt" | "endsAt">): Promise<void> {
    await vault.change((kept) => changeTimes(kept, id, times));
    notifyTabs();
    await look();
    if (shown?.kept.id !== id) throw sessionEnded();
  }

  if (channel) {
    channel.onmessage = ({ data }: MessageEvent<{ ended?: string }>) => {
      if (data.ended !== undefined) over.add(data.ended);
      if (shown && over.has(shown.kept.id)) end();
      lookSoon();
    };
  }
  globalThis.document?.addEventListener("visibilitychange", lookSoon);

  function close(): void {
    isClosed = true;
    if (shown) shown.isActive = false;
    clearTimeout(timer);
    channel?.close();
    globalThis.document?.removeEventListener("visibilitychange", lookSoon);
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
    signIn: (given) => withWallet(() => signIn(given)),
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
        if (!shown) expected = undefined;
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
      // Whatever else is under way.
      await inOrder(endShown());
    },
    signOut: ({ discard = false } = {}) =>
      inOrder(async () => {
        if (!shown) return;
        const { kept, place } = shown;
        if (!discard) await assertComplete(shown);
        const clear = endShown();
        try {
          await clear();
        } finally {
          if (place) await deleteJournal(kept.journal);
          await vault.change((known) => forgetJournal(known, kept.journal));
        }
      }),
    close,
  };
}
