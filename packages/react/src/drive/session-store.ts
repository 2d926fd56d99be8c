import {
  openSession,
  type Session,
  type SessionCallOptions,
  type SessionOptions,
  type SessionState,
  type SignInOptions,
} from "@keeplight/drive";
import type { SignerLike } from "keeplight";
import { toError } from "../errors.ts";
import { createStore } from "../store.ts";
import { initialState } from "../use-load.ts";

/** What a page shows of its session. */
export type SessionView =
  | { status: "loading" }
  | {
      status: "failed";
      /** Why the session could not be opened: see `reload`. */
      error: Error;
    }
  | {
      status: "signed-out";
      /** Account that another tab has signed in, while this one showed another account: see `resume`. */
      other?: string;
      /** Why the latest call has failed, until the next one. */
      error?: Error;
    }
  | { status: "signing-in" }
  | {
      status: "signed-in";
      /** Its address. */
      account: string;
      /** When it ends, in milliseconds since 1970. */
      endsAt: number;
      /** Whether it survives this page. */
      isKept: boolean;
      /** Address of the connected wallet, if that is another account: ask before you sign it in. */
      walletAccount?: string;
      /** For `KitProvider`: the same object for the whole session. */
      options: SessionCallOptions;
      /** Whether a sign-in runs, which prolongs the session or puts another account in its place. */
      isSigningIn: boolean;
      /** Why the latest call has failed, until the next one. The account stays signed in. */
      error?: Error;
    };

/** Options of signing in; see `SignInOptions`. */
export interface SessionSignInOptions extends Omit<SignInOptions, "signer"> {
  /** The wallet of the account. @default the connected one */
  signer?: SignerLike | undefined;
}

/** Options of signing out. */
export interface SessionSignOutOptions {
  /** Whether what is not complete, and changes that are not stored, may be lost. @default false */
  discard?: boolean | undefined;
}

/** A session that is opened, until the store is closed. */
interface Opened {
  opening: Promise<Session>;
  session?: Session;
  unsubscribe?: () => void;
  /** Ends a sign-in that runs. */
  controller: AbortController;
  calls: Set<Promise<void>>;
}

/** The session of this site, and what it is asked to do. */
export function createSessionStore(endpoints: SessionOptions["endpoints"]) {
  let opened: Opened | undefined;
  let wallet: SignerLike | undefined;
  let connecting: Promise<void> = Promise.resolve();
  let signIns = 0;
  let failure: { error: Error; account: string | undefined } | undefined;
  const store = createStore<SessionView>(initialState, {
    onClose() {
      const ended = opened;
      opened = undefined;
      failure = undefined;
      if (ended) void closeSession(ended);
    },
  });
  const { isOpen } = store;

  /** Opens the session, unless that was done. */
  function open(): Opened {
    if (opened) return opened;
    const opening = openSession({ endpoints });
    const next: Opened = { opening, controller: new AbortController(), calls: new Set() };
    opened = next;
    store.setState(initialState);
    opening.then(
      (session) => {
        if (opened !== next) return;
        next.session = session;
        next.unsubscribe = session.subscribe(publish);
        publish();
      },
      (thrown: unknown) => {
        if (opened !== next) return;
        opened = undefined;
        store.setState({ status: "failed", error: toError(thrown) });
      },
    );
    if (wallet !== undefined) connectLatest(next);
    return next;
  }

  function publish(): void {
    const state = opened?.session?.state();
    if (!state) return;
    // What has failed for an account is not shown for another one.
    if (failure?.account !== getAccount(state)) failure = undefined;
    const error = failure && { error: failure.error };
    if (state.status === "signed-in") {
      const { walletAccount, ...shown } = state;
      const other = walletAccount !== undefined && { walletAccount };
      show({ ...shown, ...other, isSigningIn: signIns > 0, ...error });
    } else if (signIns > 0) {
      show({ status: "signing-in" });
    } else {
      const { other } = state;
      show({ status: "signed-out", ...(other !== undefined && { other }), ...error });
    }
  }

  function show(next: SessionView): void {
    if (!isSameView(store.state(), next)) store.setState(next);
  }

  /** Makes a call of the session, and reports its error in the state. Returns whether it has succeeded. */
  async function run(call: (session: Session, signal: AbortSignal) => Promise<void>): Promise<boolean> {
    if (!isOpen()) return false;
    const current = open();
    const { signal } = current.controller;
    failure = undefined;
    publish();
    try {
      await track(current, async (session) => {
        signal.throwIfAborted();
        await call(session, signal);
      });
      return true;
    } catch (thrown) {
      if (opened === current && current.session) {
        failure = { error: toError(thrown), account: getAccount(current.session.state()) };
      }
      return false;
    } finally {
      publish();
    }
  }

  /** Tells the session of the latest wallet, once it knows the one before. */
  function connectLatest(current: Opened): void {
    connecting = connecting
      .then(() => track(current, (session) => connectTo(session, wallet)))
      // Nobody has asked for it.
      .catch(() => undefined);
  }

  return {
    ...store,
    /** Opens the session, unless that was done. */
    start(): void {
      if (isOpen()) open();
    },
    /** Says which wallet is connected. */
    connect(next: SignerLike | undefined): void {
      if (next === wallet) return;
      wallet = next;
      if (opened) connectLatest(opened);
    },
    async reload(): Promise<void> {
      if (isOpen()) await open().opening.catch(() => undefined);
    },
    signIn({ signer = wallet, signal, ...options }: SessionSignInOptions = {}): Promise<boolean> {
      return run(async (session, unmounted) => {
        signIns++;
        publish();
        try {
          const either = signal ? AbortSignal.any([signal, unmounted]) : unmounted;
          await session.signIn({ ...options, signer, signal: either } as SignInOptions);
        } finally {
          signIns--;
        }
      });
    },
    resume: () => run((session) => session.resume()),
    endAfter: (ms: number) => run((session) => session.endAfter(ms)),
    lock: () => run((session) => session.lock()),
    signOut: (options?: SessionSignOutOptions) => run((session) => session.signOut(options)),
  };
}

/** Makes a call of a session that is opened: it is closed after that. */
function track({ opening, calls }: Opened, call: (session: Session) => Promise<void>): Promise<void> {
  const running = opening.then(call);
  calls.add(running);
  return running.finally(() => calls.delete(running));
}

/** Closes a session once its calls have ended, as a sign-in notifies other tabs at its end. */
async function closeSession({ opening, calls, controller, unsubscribe }: Opened): Promise<void> {
  unsubscribe?.();
  controller.abort();
  const session = await opening.catch(() => undefined);
  await Promise.allSettled(calls);
  session?.close();
}

/** A wallet that names no account is none. */
async function connectTo(session: Session, wallet: SignerLike | undefined): Promise<void> {
  try {
    await session.connect(wallet);
  } catch {
    await session.connect(undefined);
  }
}

const getAccount = (state: SessionState): string | undefined =>
  state.status === "signed-in" ? state.account : undefined;

function isSameView(one: SessionView, other: SessionView): boolean {
  const names = new Set([...Object.keys(one), ...Object.keys(other)]);
  return [...names].every((name) => Reflect.get(one, name) === Reflect.get(other, name));
}
