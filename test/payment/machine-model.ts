import { type Attempt, type Command, type Entry, fold, type next, type Sight } from "../../src/payment/machine.ts";
import type { Transition } from "../support/explore.ts";

/** How many blocks a reorganisation may revert here; a failure with more confirmations is final. */
const REORG_DEPTH = 1;

/** How many transactions with another purpose the account may make. */
const MAX_OTHERS = 1;

/** How many blocks without a transaction there may be. */
const MAX_EMPTY = 2;

/** One call of one process, while it has the lock of the order. */
interface Run {
  sight: Sight;
  /** As it read them when it took the lock, and what it recorded since. */
  entries: readonly Entry[];
  /** The first attempt of its own, for which it has the wallet's response. */
  first: number;
}

/** A chain, the wallet, two processes with one order, and what is recorded of it. */
export interface World {
  entries: readonly Entry[];
  /** Blocks with a transaction each, or none: its hash. The payer's nonces are used in order. */
  chain: readonly string[];
  /** The chain before the last reorganisation, which some nodes still show. */
  fork: readonly string[];
  /** The longest chain so far: how many blocks are final follows from it. */
  height: number;
  /** Signed transactions that nodes know, by hash: `p<attempt>@<nonce>`. */
  mempool: readonly string[];
  /** Requests in the wallet's windows: `w<attempt>`. */
  windows: readonly string[];
  /** Requests for several calls that the user has confirmed, and that the wallet has yet to make. */
  calls: readonly string[];
  /** Those that it will never make, as it reports. */
  dropped: readonly string[];
  /** Requests that the wallet has rejected. */
  rejected: readonly string[];
  runs: readonly (Run | undefined)[];
}

/** What is checked: the machine, or one without a rule. */
export interface Variant {
  /** `calls`: a wallet that makes several calls in one transaction, which is known by an id at first. */
  payer: "key" | "wallet" | "calls";
  next: typeof next;
  /** Whether two processes exclude each other. */
  hasLock: boolean;
  /** Whether the user speeds up, cancels or gives up, and states the truth about what the wallet sent. */
  acts: "not" | "truthfully" | "falsely";
}

export const newWorld: World = {
  entries: [],
  chain: [],
  fork: [],
  height: 0,
  mempool: [],
  windows: [],
  calls: [],
  dropped: [],
  rejected: [],
  runs: [undefined, undefined],
};

/** A process that signed a transaction is killed; then another transaction of the account is mined at its nonce. */
export function worldWithDisplaced(): World {
  const hash = "p0@0";
  const entry: Entry = { type: "signed", attempt: 0, nonce: 0, hash, raw: hash, ...facts(newWorld) };
  return { ...newWorld, entries: [entry], chain: ["x@0"], height: 1 };
}

/** Two payments for one order. */
export function isPaidTwice({ chain }: World): boolean {
  return chain.filter((hash) => hash.startsWith("p") || hash.startsWith("w")).length > 1;
}

export const toKey = (world: World): string => JSON.stringify(world);

/** Lists everything that may happen next. */
export function listTransitions(world: World, variant: Variant): Transition<World>[] {
  return [
    ...listChainEvents(world, variant),
    ...world.runs.flatMap((_, process) => listProcessEvents(world, process, variant)),
  ];
}

function listChainEvents(world: World, { payer }: Variant): Transition<World>[] {
  const { chain, mempool, windows, calls, dropped, height, rejected } = world;
  const mine = (hash: string, rest: Partial<World> = {}): Transition<World> => {
    const longer = [...chain, hash];
    return {
      name: `mines ${hash || "nothing"}`,
      state: { ...world, chain: longer, height: Math.max(height, longer.length), ...rest },
    };
  };
  const events: Transition<World>[] = [];
  for (const hash of mempool) {
    events.push({ name: `drops ${hash}`, state: { ...world, mempool: without(mempool, hash) } });
    if (Number(hash.split("@")[1]) === countNonces(chain)) events.push(mine(hash, { mempool: without(mempool, hash) }));
  }
  for (const request of windows) {
    const rest = { windows: without(windows, request) };
    if (payer === "calls")
      events.push({ name: `confirms ${request}`, state: { ...world, ...rest, calls: [...calls, request] } });
    else events.push(mine(`${request}@${countNonces(chain)}`, rest));
    events.push({ name: `rejects ${request}`, state: { ...world, ...rest, rejected: [...rejected, request] } });
  }
  for (const request of calls) {
    const rest = { calls: without(calls, request) };
    events.push(mine(`${request}@${countNonces(chain)}`, rest));
    events.push({ name: `gives up ${request}`, state: { ...world, ...rest, dropped: [...dropped, request] } });
  }
  if (chain.filter((hash) => hash.startsWith("x")).length < MAX_OTHERS) events.push(mine(`x@${countNonces(chain)}`));
  if (chain.filter((hash) => hash === "").length < MAX_EMPTY) events.push(mine(""));
  const removed = chain.at(-1);
  if (removed !== undefined && chain.length > height - REORG_DEPTH) {
    const reorganised = { ...world, chain: chain.slice(0, -1), fork: chain };
    events.push({ name: `reorganises, loses ${removed}`, state: reorganised });
    if (removed !== "")
      events.push({
        name: `reorganises, ${removed} is pending`,
        state: { ...reorganised, mempool: [...mempool, removed] },
      });
  }
  return events;
}

function listProcessEvents(world: World, process: number, variant: Variant): Transition<World>[] {
  const run = world.runs[process];
  if (!run) return listCalls(world, process, variant);
  const state = fold(run.entries);
  const command = variant.next(state, run.sight);
  const end = { name: `${process} ends`, state: setRun(world, process, undefined) };
  return [
    end,
    ...execute(world, process, run, command, variant).map(({ name, state: after }) => ({
      name: `${process} ${name}`,
      state: after,
    })),
  ];
}

/** A process calls, or resumes; a call may attempt again what failed for good. */
function listCalls(world: World, process: number, { hasLock, payer, acts }: Variant): Transition<World>[] {
  if (hasLock && world.runs.some((run) => run !== undefined)) return [];
  const { entries } = world;
  const first = fold(entries).length;
  const start = (name: string, retryBelow: number, action?: Sight["action"]) => {
    const sight: Sight = { isDelivered: false, confirmations: 1, finality: REORG_DEPTH + 1, retryBelow, action };
    return { name: `${process} ${name}`, state: setRun(world, process, { sight, entries, first }) };
  };
  const calls = [start("calls again", first), start("starts", 0)];
  if (acts === "not" || first === 0) return calls;
  if (payer === "key") return [...calls, start("speeds up", 0, "speed-up"), start("cancels", 0, "cancel")];
  const isSent = [...world.chain, ...world.fork, ...world.mempool].some((hash) => hash.startsWith("w"));
  const isTrue = world.windows.length === 0 && world.calls.length === 0 && !isSent;
  return isTrue || acts === "falsely" ? [...calls, start("gives up", 0, "give-up")] : calls;
}

function execute(world: World, process: number, run: Run, command: Command, { payer }: Variant): Transition<World>[] {
  const { sight } = run;
  const initial: Sight = {
    isDelivered: false,
    confirmations: 1,
    finality: sight.finality,
    retryBelow: sight.retryBelow,
  };
  const see = (changed: Partial<Sight>) => setRun(world, process, { ...run, sight: { ...sight, ...changed } });
  const record = (entry: Entry | undefined, rest: Partial<World> = {}, changed: Sight = initial) => {
    const entries = entry ? [...run.entries, entry] : run.entries;
    return setRun({ ...world, ...rest, entries }, process, { ...run, entries, sight: changed });
  };
  switch (command.do) {
    case "check":
      return [{ name: "checks", state: see({ needs: "pay" }) }];
    case "start": {
      const { attempt } = command;
      if (payer !== "key") {
        const callsId = payer === "calls" ? `w${attempt}` : undefined;
        const asked = { type: "asked", attempt, callsId, ...facts(world) } as const;
        const windows = [...world.windows, `w${attempt}`];
        const killed = setRun({ ...world, entries: [...run.entries, asked] }, process, undefined);
        return [
          { name: "asks", state: record(asked, { windows }) },
          { name: "is killed before it asks", state: killed },
        ];
      }
      return listViews(world).map((view) => {
        const own = fold(run.entries).map(({ nonce = -1 }) => nonce);
        const nonce = Math.max(countNonces(view), ...own.map((used) => used + 1));
        const hash = `p${attempt}@${nonce}`;
        return {
          name: `signs ${hash}`,
          state: record({ type: "signed", attempt, nonce, hash, raw: hash, ...facts(world) }),
        };
      });
    }
    case "deliver":
      return deliver(world, command.attempt, run, see, record);
    case "look":
      if (world.dropped.includes(command.attempt.callsId ?? "")) {
        const { attempt } = command.attempt;
        return [{ name: `finds ${attempt} given up by the wallet`, state: record({ type: "refused", attempt }) }];
      }
      return listViews(world).flatMap((view) => look(view, command.attempt, see, record, sight));
    case "speed-up":
    case "cancel":
      return listViews(world).map((view) =>
        replace(view, command.attempt, command.do === "cancel" ? "cancel" : "speed-up", record),
      );
    case "give-up": {
      const { attempt } = command.attempt;
      const shown = listViews(world).filter((view) => view.some((hash) => hash.startsWith(`w${attempt}@`)));
      const state = record({ type: "given-up", attempt });
      return shown.length === listViews(world).length ? [] : [{ name: `gives ${attempt} up`, state }];
    }
    case "conclude": {
      const { attempt, hash } = command.attempt;
      return [{ name: "concludes", state: record({ type: "final", attempt, outcome: "succeeded", hash }) }];
    }
    case "record":
      return [{ name: "records the failure", state: record(command.entry) }];
    case "finish":
    case "stop":
      return [];
  }
}

/** Signs another transaction at the attempt's nonce, unless the node shows that the nonce is used. */
function replace(
  view: readonly string[],
  { attempt, nonce = 0, hash = "", raw = "" }: Attempt,
  action: "speed-up" | "cancel",
  record: RecordEntry,
): Transition<World> {
  if (countNonces(view) > nonce) return { name: `finds ${nonce} used`, state: record(undefined) };
  if (action === "cancel") {
    const other = `c${attempt}@${nonce}`;
    const entry = { type: "cancelling", attempt, hash: other, raw: other, worstCaseFee: "" } as const;
    return { name: `signs ${other}`, state: record(entry) };
  }
  // Sped up once: more of the same nonce change nothing.
  const faster = `p${attempt}f@${nonce}`;
  const entry = { type: "signed", attempt, nonce, hash: faster, raw: faster, ...facts(newWorld) } as const;
  return hash === faster || raw === faster
    ? { name: "is as fast as can be", state: record(undefined) }
    : { name: `signs ${faster}`, state: record(entry) };
}

type RecordEntry = (entry: Entry | undefined, rest?: Partial<World>, sight?: Sight) => World;

function deliver(
  world: World,
  { attempt, raw, hash, callsId }: Attempt,
  { first, sight }: Run,
  see: (changed: Partial<Sight>) => World,
  record: RecordEntry,
): Transition<World>[] {
  const delivered = { name: `delivers ${attempt}`, state: see({ isDelivered: true }) };
  if (raw !== undefined) {
    const isKnown = world.mempool.includes(raw) || world.chain.includes(raw);
    const state = isKnown ? delivered.state : { ...delivered.state, mempool: [...world.mempool, raw] };
    return [{ ...delivered, state }];
  }
  if (hash !== undefined || attempt < first) return [delivered];
  if (world.rejected.includes(`w${attempt}`)) {
    return [{ name: `is refused ${attempt}`, state: { ...record({ type: "refused", attempt }), rejected: [] } }];
  }
  if (callsId !== undefined) {
    const isOpen = world.windows.includes(callsId);
    return isOpen
      ? []
      : [{ ...delivered, state: record({ type: "answered", attempt, callsId }, {}, { ...sight, isDelivered: true }) }];
  }
  const sent = [...world.chain, ...world.fork, ...world.mempool].find((other) => other.startsWith(`w${attempt}@`));
  return sent === undefined
    ? []
    : [{ name: `receives ${sent}`, state: record({ type: "answered", attempt, hash: sent }) }];
}

function look(
  view: readonly string[],
  { attempt, hash, nonce }: Attempt,
  see: (changed: Partial<Sight>) => World,
  record: RecordEntry,
  sight: Sight,
): Transition<World>[] {
  const found = view.find(
    (other) =>
      other !== "" && (hash === undefined || nonce === undefined ? other.startsWith(`w${attempt}@`) : other === hash),
  );
  if (found !== undefined && nonce === undefined) {
    const entry = { type: "answered", attempt, hash: found, nonce: Number(found.split("@")[1]) } as const;
    return [{ name: `finds ${found}`, state: record(entry, {}, { ...sight }) }];
  }
  if (found !== undefined) {
    const seen = { outcome: "succeeded", confirmations: view.length - view.indexOf(found) } as const;
    return [{ name: `sees ${found}, ${seen.confirmations} deep`, state: see({ seen }) }];
  }
  const by = nonce === undefined ? undefined : view.find((other) => other.endsWith(`@${nonce}`));
  if (by === undefined) return [];
  if (/^[pw]/.test(by)) {
    // Sped up, or it was before.
    return [{ name: `finds ${by}`, state: record({ type: "answered", attempt, hash: by, nonce }, {}, { ...sight }) }];
  }
  const seen = { outcome: "displaced", confirmations: view.length - view.indexOf(by) } as const;
  return [{ name: `sees ${by} instead, ${seen.confirmations} deep`, state: see({ seen }) }];
}

/** What nodes may show: the chain, what it was one or two blocks ago, and what it was before it was reorganised. */
function listViews({ chain, fork }: World): (readonly string[])[] {
  const views = [chain, chain.slice(0, -1), chain.slice(0, -2), fork];
  return [...new Map(views.map((view) => [view.join(), view])).values()];
}

const countNonces = (chain: readonly string[]): number => chain.filter((hash) => hash !== "").length;

const without = (list: readonly string[], item: string): string[] => list.filter((other) => other !== item);

function setRun(world: World, process: number, run: Run | undefined): World {
  return { ...world, runs: world.runs.map((other, at) => (at === process ? run : other)) };
}

const facts = ({ chain }: World) => ({
  step: "pay" as const,
  to: "",
  data: "",
  value: "",
  worstCaseFee: "",
  fromBlock: 0,
  noncesUsed: countNonces(chain),
});
