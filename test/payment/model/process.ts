import type { Attempt, Command, Entry, Sight, State } from "../../../src/payment/machine.ts";
import type { PaymentAction, PaymentStep } from "../../../src/payment/types.ts";
import type { Transition } from "../../support/explore.ts";
import {
  countMined,
  countPending,
  findMarked,
  getView,
  hasAllowance,
  listViews,
  type Observation,
  observe,
  toCall,
  type View,
} from "./nodes.ts";
import { nameTransaction } from "./surroundings.ts";
import {
  type Account,
  add,
  getNonce,
  isPaid,
  type Order,
  orders,
  type Run,
  type Variant,
  type World,
} from "./world.ts";

/** How many real blocks a block stands for when it is counted whether a wallet stays silent. */
const SILENT_BLOCKS = 6;

/** A process, the order that it may be called for, and its journal. */
export interface Callable {
  process: number;
  order: Order;
  journal: number;
}

export function listCallable({ journals, without }: Pick<Variant, "journals" | "without">): Callable[] {
  return [0, 1].flatMap((process): Callable[] => {
    if (journals === "each") return [{ process, order: process === 0 ? "A" : "B", journal: process }];
    if (journals === "copied") return [{ process, order: "A", journal: process }];
    return process === 0 || without === "the lock" ? orders.map((order) => ({ process, order, journal: 0 })) : [];
  });
}

/** Lists what processes may do: a call for an order with its first step, or the next step of a call. */
export function listProcessSteps(world: World, variant: Variant): Transition<World>[] {
  const steps = world.runs.flatMap((run, process) => (run ? step(world, process, run, variant) : []));
  return [...steps, ...listCallable(variant).flatMap((callable) => listCalls(world, callable, variant))];
}

/** By which transaction an attempt is made. */
type Located = { hash: string; nonce?: number | undefined };

const named = (prefix: string, { name, state }: Transition<World>) => ({ name: prefix + name, state });

function listCalls(world: World, { process, order, journal }: Callable, variant: Variant): Transition<World>[] {
  // The orders are alike: A is called for first.
  if (order === "B" && world.journals.every(({ A }) => A.length === 0)) return [];
  const entries = world.journals[journal]?.[order] ?? [];
  const state = variant.machine.fold(entries);
  const call = (name: string, changed: Partial<Sight>, isBlind = false) => {
    const sight = { ...initial(variant, state.length), ...changed };
    const run: Run = { order, journal, entries, first: state.length, sight, isBlind };
    // Without its first step it changes nothing.
    const steps = step(setRun(world, process, run), process, run, variant);
    return steps.map((next) => named(`${name} ${order} in journal ${journal}: `, next));
  };
  const actions = listActions(world, state, order, variant);
  return [
    ...call("calls for", {}),
    ...actions.flatMap((action) => call(`does a ${action} of`, { action, retryBelow: 0 })),
    ...(variant.decides ? call("pays without a search", {}, true) : []),
  ];
}

function listActions(world: World, state: State, order: Order, { payer, acts, decides }: Variant): PaymentAction[] {
  const open = state.find(({ step, end }) => step === "pay" && end === undefined);
  if (!(acts || decides) || !open) return [];
  // More variants at one nonce change nothing.
  if (payer === "key") return open.signed.length < 2 ? ["speed-up", "cancel"] : [];
  const { chain, fork, pool, forgotten, requests } = world;
  const sent = [...chain, ...fork, ...pool, ...forgotten, ...requests.map(({ id }) => id)];
  return decides || !sent.some((id) => id[0] === order) ? ["give-up"] : [];
}

const initial = ({ confirmations, finality }: Variant, retryBelow: number): Sight => ({
  isDelivered: false,
  confirmations,
  finality,
  retryBelow,
});

const setRun = (world: World, process: number, run: Run | undefined): World => ({
  ...world,
  runs: world.runs.map((other, at) => (at === process ? run : other)),
});

/** Carries out one command, and after it what needs nothing from outside. */
function step(world: World, process: number, run: Run, variant: Variant): Transition<World>[] {
  const { machine, payer } = variant;
  const { sight, order, entries } = run;
  const state = machine.fold(entries);
  const command = machine.next(state, sight);
  const fresh = { sight: initial(variant, sight.retryBelow) };
  const recorded = orders.map((each) => machine.fold(world.journals[run.journal]?.[each] ?? []));
  const others = recorded[order === "A" ? 1 : 0] ?? [];
  switch (command.do) {
    case "check":
      return run.account ? check(getView(world, run.account.view)) : byViews(check);
    case "start":
      return start(command);
    case "deliver":
      return deliver(command.attempt);
    case "look":
      return byViews((view) => look(command.attempt, view));
    case "speed-up":
    case "cancel":
      return byViews((view) => replace(view, command.do === "cancel", command.attempt));
    case "give-up":
      return byViews((view) => giveUp(command.attempt, view));
    case "conclude": {
      const { attempt, hash } = command.attempt;
      const paid = { type: "final", attempt, outcome: "succeeded", hash, block: run.block } as const;
      return append("is paid", paid, { sight: { ...sight, isPaid: true } });
    }
    case "review":
      return byViews((view) => review(command.attempt, view));
    case "record":
      return append(`records ${command.entry.type}`, command.entry);
    case "finish":
      return finish();
    case "stop":
      return stop(command);
  }

  function end(name: string, changed: Partial<World> = {}): Transition<World>[] {
    return [{ name, state: setRun({ ...world, ...changed }, process, undefined) }];
  }

  function goOn(name: string, after: Partial<Run>, changed: Partial<World> = {}): Transition<World>[] {
    return settle(name, { ...world, ...changed }, process, { ...run, ...after }, variant);
  }

  function append(name: string, entry: Entry, after: Partial<Run> = fresh, changed: Partial<World> = {}) {
    const more = [...entries, entry];
    const journals = world.journals.map((journal, at) =>
      at === run.journal ? { ...journal, [order]: more } : journal,
    );
    return goOn(name, { entries: more, account: undefined, ...after }, { ...changed, journals });
  }

  function follow(attempt: Attempt, { hash, nonce }: Located, after: Partial<Run> = { sight }): Transition<World>[] {
    const isIdentified = variant.isMarked || attempt.signed.length > 0;
    const isRefused = !isIdentified && variant.without !== "refusing the hash of another payment";
    if (isRefused && others.some((other) => other.hash === hash)) return end(`finds the ${hash} of another payment`);
    return append(`finds ${hash}`, { type: "answered", attempt: attempt.attempt, hash, nonce }, after);
  }

  function byViews(list: (view: View) => Transition<World>[]): Transition<World>[] {
    return listViews(world, variant).flatMap((view) => {
      if (view.name === "") return list(view);
      return list(view).map(({ name, state: after }) => ({
        name: `${name} (node: ${view.name})`,
        state: { ...after, faults: after.faults + 1 },
      }));
    });
  }

  function lookAt(attempt: Attempt, view: View): Observation {
    return observe({ world, view, order, attempt, others, variant });
  }

  /** Reads the nonces, then searches for the order, then reads the nonces again: anything may happen in between. */
  function check(view: View): Transition<World>[] {
    if (run.account) return run.account.isSearched ? plan(run.account, view) : search(run.account, view);
    for (const attempt of variant.without === "looking for what was given up" ? [] : state) {
      if (attempt.end !== "given-up" || attempt.step !== "pay") continue;
      const { hash } = attempt;
      const seen = lookAt(attempt, view);
      if (seen.kind === "located") return follow(attempt, seen);
      if (seen.kind === "seen" && seen.outcome === "succeeded" && hash !== undefined) return follow(attempt, { hash });
    }
    return goOn("reads the nonces", { account: { ...readNonces(view), isSearched: false } });
  }

  function readNonces(view: View): Omit<Account, "isSearched"> {
    const { name, chain } = view;
    const block = chain.length;
    return { mined: countMined(chain), pending: countPending(view), block, hash: hashOf(view, block), view: name };
  }

  /** A block that is mined again after a reorganisation is another one, even if it has the same transaction. */
  function hashOf({ chain }: View, block: number): string {
    return `${chain.slice(0, block)} after ${world.fork}`;
  }

  function search(account: Account, { chain }: View): Transition<World>[] {
    const found = run.isBlind ? undefined : findMarked(chain, order, variant);
    if (found !== undefined) {
      const located = { hash: found, nonce: getNonce(found) };
      const givenUp = state.findLast(({ step, end }) => step === "pay" && end === "given-up");
      if (givenUp) return follow(givenUp, located);
      const facts = { ...toFacts("pay", 0, located.nonce), data: "0x" };
      return append(`finds ${found}`, { type: "asked", attempt: state.length, ...located, ...facts }, { sight });
    }
    const isSkipped = entries.length > 0 && variant.without === "searching for look-alikes of recorded orders";
    const known = variant.without === "excluding known payments from look-alikes" ? [] : [...state, ...others];
    const isUnknown = (block: string) => isPaid(block) && !known.some(({ hash }) => hash === block.slice(0, -1));
    if (!(variant.isMarked || run.isBlind || isSkipped) && chain.some(isUnknown)) return end("is uncertain");
    return goOn("finds nothing", { account: { ...account, isSearched: true } });
  }

  function plan(before: Account, view: View): Transition<World>[] {
    const { without } = variant;
    const after = readNonces(view);
    const isOnce = without === "reading nonces before the search" || without === "reading nonces after the search";
    const isSame = without === "comparing the block after the search" || hashOf(view, before.block) === before.hash;
    const { mined, pending } = without === "reading nonces after the search" ? before : after;
    if (!isOnce && (before.mined !== after.mined || !isSame))
      return goOn("reads other nonces", { account: { ...after, isSearched: false } });
    const isBusy = without !== "refusing a busy payer" && hasUnknown(mined, pending, view);
    if (isBusy) return end("finds the payer busy");
    const account = { ...before, mined, pending: without === "refusing a busy payer" ? mined : pending };
    const madeNow = state.filter(({ attempt, end }) => attempt >= run.first && end !== "refused" && end !== "given-up");
    const isAllowed = !variant.needsApproval || hasAllowance(view.chain);
    const needs = isAllowed || mayBatch() ? "pay" : "approve";
    if (needs === "approve" && madeNow.some(({ step }) => step === "approve")) return end("is not allowed to pay");
    return goOn("plans", { account: { ...account, isBatch: !isAllowed }, sight: { ...sight, needs } });
  }

  function mayBatch(): boolean {
    return payer === "calls" && !state.some(({ attempt, callsId }) => attempt >= run.first && callsId !== undefined);
  }

  function hasUnknown(mined: number, pending: number, { pool }: View): boolean {
    const open = [...state, ...others].filter((other) => other.end === undefined);
    const hashes = open.flatMap(({ hash, signed }) => [hash, ...signed.map((variant) => variant.hash)]);
    const isKnown = (nonce: number) => {
      if (variant.without === "knowing pending transactions by hash")
        return open.some((other) => (other.nonce ?? other.nextNonce) === nonce);
      const known = pool.filter((id) => getNonce(id) === nonce).map((id) => hashes.includes(id));
      // Nodes may show different transactions at a nonce, but one that nothing is recorded of can only be shown.
      return world.hasLostJournal ? known.every(Boolean) : known.some(Boolean);
    };
    return Array.from({ length: pending - mined }, (_, at) => mined + at).some((nonce) => !isKnown(nonce));
  }

  function start({ step: kind, attempt }: Extract<Command, { do: "start" }>): Transition<World>[] {
    const { block = 0, pending = 0, isBatch = false } = run.account ?? {};
    if (attempt >= variant.maxAttempts) return [];
    const before = state.findLast((other) => other.step === "pay" && other.attempt >= run.first);
    const mayRepeat = before?.failure?.kind === "unsupported" || before?.end === "given-up";
    if (before?.end !== undefined && !mayRepeat && kind === "pay")
      return end("pays again", { wrong: "it pays again without a call" });
    const nonce = Math.max(pending, ...state.map((other) => (other.nonce ?? -1) + 1));
    const facts = toFacts(kind, block, nonce);
    const letter = kind === "pay" ? "p" : "a";
    if (payer === "key") {
      const hash = nameTransaction(world, `${order}${letter}${nonce}`);
      const signed = { type: "signed", attempt, nonce, hash, raw: hash, ...facts } as const;
      const killed = append(`signs ${hash}, is killed`, signed).map(kill);
      return [...killed, ...append(`signs ${hash}`, signed).flatMap(broadcastNow)];
    }
    const id = nameTransaction(world, `${order}r`);
    const isCalls = isBatch && mayBatch() && kind === "pay";
    const asked = { type: "asked", attempt, ...(isCalls ? { callsId: id } : {}), ...facts } as const;
    const request = { id, state: "open", step: isCalls ? "b" : letter } as const;
    return [
      ...append(`is killed before it asks ${id}`, asked).map(kill),
      ...append(`asks ${id}`, asked, { ...fresh, awaits: id }, { requests: [...world.requests, request] }),
    ];
  }

  /** Nobody else knows the bytes before. */
  function broadcastNow(signed: Transition<World>): Transition<World>[] {
    const after = signed.state.runs[process];
    if (!after || machine.next(machine.fold(after.entries), after.sight).do !== "deliver") return [signed];
    return step(signed.state, process, after, variant).map((next) => named(`${signed.name}, `, next));
  }

  function kill({ name, state: after }: Transition<World>): Transition<World> {
    return { name, state: setRun(after, process, undefined) };
  }

  function deliver(attempt: Attempt): Transition<World>[] {
    const isDelivered = { sight: { ...sight, isDelivered: true } };
    const { attempt: number, signed } = attempt;
    if (signed.length > 0) {
      const isOne = number >= run.first || variant.without === "broadcasting earlier attempts";
      const open = isOne ? [attempt] : state.filter((other) => other.end === undefined);
      const raws = open.flatMap((other) => other.signed.slice(-1).map(({ raw }) => raw));
      const missing = raws.filter((raw) => !world.chain.some((block) => block.startsWith(raw)));
      return goOn("broadcasts", isDelivered, {
        pool: missing.reduce(add, world.pool),
        forgotten: world.forgotten.filter((id) => !missing.includes(id)),
      });
    }
    if (run.awaits === undefined || number < run.first) return goOn("looks", isDelivered);
    const { answer } = run;
    if (answer === undefined) return [];
    const after = { ...isDelivered, awaits: undefined, answer: undefined };
    if (answer.startsWith("calls"))
      return append(`learns ${answer}`, { type: "answered", attempt: number, callsId: answer.slice(6) }, after);
    if (/^[ABx]/.test(answer)) return follow(attempt, { hash: answer }, after);
    const failure = answer as "rejected" | "unsupported" | "unknown";
    const failed = { ...after, sight: { ...after.sight, failed: number } };
    return append(`learns ${failure}`, { type: "failed", attempt: number, failure, block: world.chain.length }, failed);
  }

  function look(attempt: Attempt, view: View): Transition<World>[] {
    const { attempt: number, failure } = attempt;
    const block = view.chain.length;
    const seen = lookAt(attempt, view);
    switch (seen.kind) {
      case "pending":
        return [];
      case "missing": {
        // A wallet may be asked again for an approval that is lost.
        const isLost = attempt.step !== "pay" && attempt.signed.length === 0;
        return isLost ? goOn("loses it", { sight: { ...sight, silence: { blocks: 0, waits: 1 } } }) : [];
      }
      case "silent": {
        const silence = { blocks: (block - (failure?.block ?? 0)) * SILENT_BLOCKS, waits: 0 };
        return goOn("sees nothing", { sight: { ...sight, silence } });
      }
      case "dropped": {
        const failed = { sight: { ...sight, failed: number } };
        return append("sees no calls", { type: "failed", attempt: number, failure: "rejected", block }, failed);
      }
      case "located":
        return follow(attempt, seen);
      case "seen": {
        const { outcome, confirmations } = seen;
        const isFinal = variant.saysFinal ? confirmations > variant.reorgDepth : undefined;
        const name = `sees ${attempt.hash} ${outcome}, ${confirmations} deep`;
        return goOn(name, {
          block: block - confirmations,
          sight: { ...sight, seen: { outcome, confirmations, isFinal } },
        });
      }
    }
  }

  function replace(view: View, isCancel: boolean, attempt: Attempt): Transition<World>[] {
    const { nonce = 0, attempt: number } = attempt;
    if (countMined(view.chain) > nonce) return goOn(`finds ${nonce} used`, fresh);
    const hash = nameTransaction(world, `${order}${isCancel ? "c" : "p"}${nonce}`);
    const facts = toFacts("pay", attempt.fromBlock, nonce);
    const raw = { attempt: number, hash, raw: hash };
    const signed = isCancel
      ? ({ type: "cancelling", ...raw, worstCaseFee: "" } as const)
      : ({ type: "signed", ...raw, nonce, ...facts } as const);
    return append(`signs ${hash}`, signed);
  }

  function giveUp(attempt: Attempt, view: View): Transition<World>[] {
    const seen = lookAt(attempt, view);
    if (seen.kind === "located") return follow(attempt, seen, fresh);
    if (seen.kind !== "missing" && seen.kind !== "silent") return goOn("does not give it up", fresh);
    return append("gives it up", { type: "given-up", attempt: attempt.attempt });
  }

  function review({ attempt, hash }: Attempt, { chain }: View): Transition<World>[] {
    const result = entries.findLast((entry) => entry.type === "final");
    const isSame = chain.indexOf(`${hash}+`) === (result && "block" in result ? result.block : undefined);
    if (chain.includes(`${hash}+`) && (isSame || variant.without === "confirming again in another block"))
      return goOn("looks again", { sight: { ...sight, isPaid: true } });
    return append("misses the payment", { type: "reopened", attempt }, { sight });
  }

  function stop({ reason, isOver }: Extract<Command, { do: "stop" }>): Transition<World>[] {
    const name = `stops: ${reason}`;
    const isMade = world.chain.some((block) => block[0] === order && isPaid(block));
    if (isOver && reason === "displaced" && variant.isMarked && isMade)
      return end(name, { wrong: "it is reported as failed for good, and is paid" });
    if (reason === "rejected" && state.length === 1 && machine.mayBeSent(state))
      return end(name, { wrong: "it says that something may be sent, and the wallet rejected it" });
    return end(name);
  }

  function finish(): Transition<World>[] {
    const { hash = "" } = state.find(({ step, end }) => step === "pay" && end === "succeeded") ?? {};
    if (world.reported[order === "A" ? "B" : "A"] === hash)
      return end("is done", { wrong: "one payment is reported for two orders" });
    const at = world.chain.indexOf(`${hash}+`);
    // A reorganisation may have made the chain shorter than when blocks were counted; a deeper one removes the payment.
    const mayLag = variant.faults.includes("lag") && variant.reorgDepth >= variant.confirmations;
    const isThere = at >= 0 ? world.height - at >= variant.confirmations : mayLag;
    if (!isThere) return end("is done", { wrong: "it is reported as paid, and is not" });
    return end("is done", { reported: { ...world.reported, [order]: hash } });
  }

  function toFacts(kind: PaymentStep, fromBlock: number, nextNonce: number) {
    const data = toCall(`${order}${kind === "pay" ? "p" : "a"}`, variant);
    return { step: kind, to: "", data, value: "", worstCaseFee: "", fromBlock, nextNonce };
  }
}

/** After these commands, whatever happens outside first makes no difference. */
function settle(name: string, world: World, process: number, run: Run, variant: Variant): Transition<World>[] {
  const after = { name, state: setRun(world, process, run) };
  const { machine } = variant;
  const command = machine.next(machine.fold(run.entries), run.sight);
  const isWaiting = command.do === "deliver" && command.attempt.signed.length === 0 && run.awaits === undefined;
  const isLocal = ["record", "start", "conclude", "finish", "stop"].includes(command.do) || isWaiting;
  if (!isLocal) return [after];
  return step(after.state, process, run, variant).map((next) => named(`${name}, `, next));
}
