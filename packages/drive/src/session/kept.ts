import type { EndpointOptions } from "keeplight";

// What a browser keeps of a session, and when it is over. Pure functions.

/** A session, as it is kept. */
export interface KeptSession {
  /** Random: another sign-in is another session. */
  id: string;
  /** Address of the account. */
  account: string;
  apiKey: string;
  /** The network that it is for, as {@link toNetwork} names it. */
  network: string;
  /** Milliseconds since 1970; so is `endsAt`. */
  startedAt: number;
  endsAt: number;
  /** Name of the database with the account's journal: random. */
  journal: string;
}

/** A session that is over, and of which something may be left. */
export type EndedSession = Pick<KeptSession, "id" | "account" | "journal">;

/** What one browser knows of the sessions of a site. */
export interface KeptState {
  current?: KeptSession | undefined;
  ended: readonly EndedSession[];
  /** Names of the databases with journals, by network and account: they stay when a session ends. */
  journals: Readonly<Record<string, string>>;
}

export const keepNothing: KeptState = { ended: [], journals: {} };

/** A clock may be corrected by so much, in milliseconds. */
const CLOCK_MS = 300_000;

/** Whether a session is over. One that starts in the future is: someone has set back the clock to make it last. */
export function isOver({ startedAt, endsAt }: Pick<KeptSession, "startedAt" | "endsAt">, now: number): boolean {
  return now >= endsAt || now < startedAt - CLOCK_MS;
}

/** Names a network, by all its services: a session is of one, and nothing of it is sent to another. */
export function toNetwork(endpoints: Partial<EndpointOptions> = {}): string {
  return JSON.stringify(endpoints, Object.keys(endpoints).sort());
}

/** What a tab shows: a session; or none, because `other` is signed in now. */
export interface Following {
  show?: KeptSession | undefined;
  other?: string | undefined;
}

/**
 * Decides what a tab shows.
 *
 * @param network - of this tab
 * @param shown - the account that it shows until now; `undefined` if it waits for one
 */
export function follow({ current }: KeptState, network: string, shown: string | undefined, now: number): Following {
  if (!current || current.network !== network || isOver(current, now)) return {};
  // What is shown changes to another account only if its user wants that.
  return shown === undefined || shown === current.account ? { show: current } : { other: current.account };
}

/** Returns what is kept once an account has a journal: the one that it has, or else one of this name. */
export function reserveJournal(kept: KeptState, account: string, network: string, name: string): KeptState {
  const key = toJournalKey(account, network);
  return Object.hasOwn(kept.journals, key) ? kept : { ...kept, journals: { ...kept.journals, [key]: name } };
}

/** Returns the name of the journal of an account. */
export function findJournal({ journals }: KeptState, account: string, network: string): string | undefined {
  return journals[toJournalKey(account, network)];
}

const toJournalKey = (account: string, network: string): string => `${network} ${account}`;

/** Returns what is kept after a sign-in: the session before it has ended. */
export function startSession(kept: KeptState, session: KeptSession): KeptState {
  return { ...endSession(kept, kept.current?.id), current: session };
}

/** Returns what is kept once a session has ended; another one that was started meanwhile goes on. */
export function endSession(kept: KeptState, id: string | undefined): KeptState {
  const { current, ended, journals } = kept;
  if (!current || current.id !== id) return kept;
  const { account, journal } = current;
  return { ended: [...ended, { id: current.id, account, journal }], journals };
}

/** Returns what is kept once nothing is left of a session that has ended. */
export function forgetSession(kept: KeptState, id: string): KeptState {
  const ended = kept.ended.filter((each) => each.id !== id);
  return ended.length === kept.ended.length ? kept : { ...kept, ended };
}

/** Returns what is kept of the time of a session. */
export function changeTimes(kept: KeptState, id: string, times: Pick<KeptSession, "startedAt" | "endsAt">): KeptState {
  return kept.current?.id === id ? { ...kept, current: { ...kept.current, ...times } } : kept;
}

/** Returns what is kept once a journal is deleted. */
export function forgetJournal(kept: KeptState, name: string): KeptState {
  return { ...kept, journals: Object.fromEntries(Object.entries(kept.journals).filter(([, each]) => each !== name)) };
}
