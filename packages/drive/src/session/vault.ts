import { isKeeplightError, openJournal } from "keeplight";
import { type DatedJwt, type Entry, getEntries, wait } from "keeplight/parts";
import { type KeptState, keepNothing } from "./kept.ts";

/** Name of the database with what is kept: the same for all accounts, of which it says nothing. */
const NAME = "keeplight";

/** The kinds of its entries: one with the state, and one with the token of each session. */
const STATE_KIND = "session";
const TOKEN_KIND = "session-token";

/** How long to wait for another tab, in milliseconds, by whom nothing depends on it. */
export const PATIENCE_MS = 5_000;

/** How long to wait, in milliseconds, before an entry that another tab has is tried again. */
const PAUSE_MS = 50;

/** What is kept for the sign-in to key nodes. */
export interface KeptToken {
  session: string;
  keyNodes: string;
  /** Without a time to refresh it is used until it is refused: JSON has no infinity. */
  jwt: Omit<DatedJwt, "refreshAt"> & { refreshAt: number | null };
}

/** What this browser keeps of sessions, sealed. One tab at a time changes it. */
export interface Vault {
  /** Whether it survives this page. */
  isKept: boolean;
  read(): Promise<KeptState>;
  /** Returns what is kept afterwards. Throws `CANNOT_WRITE`, `JOURNAL_CLOSED`. */
  change(decide: (kept: KeptState) => KeptState): Promise<KeptState>;
  /**
   * Runs `work` with the token of a session, alone, and keeps what it returns; `undefined` removes it.
   *
   * @param assertWanted - throws to end the wait for another tab
   */
  exchange<Result extends KeptToken | undefined>(
    session: string,
    work: (kept: KeptToken | undefined) => Promise<Result>,
    assertWanted: () => void,
  ): Promise<Result>;
}

/** Opens what this browser keeps; where it keeps nothing, what this page knows is lost with it. */
export async function openVault(): Promise<Vault> {
  try {
    return await openKeptVault();
  } catch (error) {
    if (isKeeplightError(error, "UNSUPPORTED")) return createVolatileVault();
    throw error;
  }
}

async function openKeptVault(): Promise<Vault> {
  const entries = getEntries(await openJournal({ name: NAME }));
  // A damaged one would keep everyone out. What it was for can be signed again.
  for (const each of await entries.list()) {
    // One of a later version of this package is none: it is described by more than its id.
    if ("error" in each && isKeeplightError(each.error, "JOURNAL_DAMAGED") && each.error.details.what === each.id) {
      await entries.discard(each.id).catch(() => undefined);
    }
  }

  async function withEntry<State, Result>(
    kind: string,
    name: string,
    initial: State,
    work: (entry: Entry<State>) => Promise<Result>,
    assertWanted: () => void,
  ): Promise<Result> {
    const entry = await openEntry(kind, name, initial, assertWanted);
    try {
      return await work(entry);
    } finally {
      await entry.release();
    }
  }

  /** Waits until no other tab has the entry. */
  async function openEntry<State>(kind: string, name: string, initial: State, assertWanted: () => void) {
    for (;;) {
      assertWanted();
      try {
        return await entries.open(kind, name, initial);
      } catch (error) {
        if (!isKeeplightError(error, "JOURNAL_ENTRY_BUSY")) throw error;
        await wait(PAUSE_MS, undefined);
      }
    }
  }

  return {
    isKept: true,
    async read() {
      const all = await entries.list();
      const found = all.find((each) => "kind" in each && each.kind === STATE_KIND);
      return found && "state" in found ? (found.state as KeptState) : keepNothing;
    },
    change: (decide) =>
      withEntry(
        STATE_KIND,
        "",
        keepNothing,
        async (entry) => {
          const kept = decide(entry.state);
          // A field that is missing is one that was removed.
          if (kept !== entry.state) await entry.update({ current: undefined, ...kept });
          return kept;
        },
        () => undefined,
      ),
    exchange: (session, work, assertWanted) =>
      withEntry(
        TOKEN_KIND,
        session,
        {} as Partial<KeptToken>,
        async (entry) => {
          const known = entry.state.session === session ? (entry.state as KeptToken) : undefined;
          const token = await work(known);
          if (token === undefined) await entry.erase();
          // What cannot be kept is used all the same, as the one before is used up.
          else if (token !== known) await entry.update(token).catch(() => undefined);
          return token;
        },
        assertWanted,
      ),
  };
}

/** For a page that keeps nothing, such as one of a private window. */
function createVolatileVault(): Vault {
  let kept = keepNothing;
  const tokens = new Map<string, KeptToken>();
  let last: Promise<unknown> = Promise.resolve();
  return {
    isKept: false,
    read: async () => kept,
    async change(decide) {
      kept = decide(kept);
      return kept;
    },
    exchange(session, work) {
      const result = last.then(() => work(tokens.get(session)));
      last = result.then(
        (next) => (next ? tokens.set(session, next) : tokens.delete(session)),
        () => undefined,
      );
      return result;
    },
  };
}
