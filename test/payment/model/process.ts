import type { Attempt, Command, Entry, Sight, State } from "../../../src/payment/machine.ts";
import type { PaymentAction, PaymentStep } from "../../../src/payment/types.ts";
import type { Transition } from "../../support/explore.ts";
import { nameTransaction } from "./surroundings.ts";
import {
  countMined,
  countPending,
  findMarked,
  hasAllowance,
  isOfAnother,
  listViews,
  observe,
  type Sighting,
  seeAgain,
  type View,
} from "./views.ts";
import { add, getNonce, isPayment, type Order, type Run, type Variant, type World } from "./world.ts";

/** How many real blocks a block stands for when it is counted whether a wallet stays silent. */
const SILENT_BLOCKS = 6;

/** Lists what processes may do: a call for an order with its first step, or the next step of a call. */
export function listProcessSteps(world: World, variant: Variant): Transition<World>[] {
  return world.runs.flatMap((run, process) => [
    ...(run ? step(world, process, run, variant).map((next) => named(`${process} `, next)) : []),
    ...listCalls(world, process, variant),
  ]);
}

const named = (prefix: string, { name, state }: Transition<World>) => ({ name: prefix + name, state });

function listCalls(world: World, process: number, variant: Variant): Transition<World>[] {
  const isShared = variant.journals === "common" && variant.without !== "lock";
  if (isShared && process > 0) return [];
  const orders: readonly Order[] =
    variant.journals === "common" ? ["A", "B"] : variant.journals === "copied" || process === 0 ? ["A"] : ["B"];
  const journal = variant.journals === "common" ? 0 : process;
  return orders.flatMap((order) => {
    const entries = world.journals[journal]?.[order] ?? [];
    // The orders are alike: A is called for first.
    if (order === "B" && world.journals.every(({ A }) => A.length === 0)) return [];
    const state = variant.machine.fold(entries);
    const call = (name: string, changed: Partial<Sight>, isBlind = false) => {
      const sight = { ...initial(variant, state.length), ...changed };
      const run: Run = { order, journal, entries, first: state.length, sight, isBlind };
      // Without its first step it changes nothing.
      return step(setRun(world, process, run), process, run, variant).map((next) =>
        named(`${process} ${name} ${order}: `, next),
      );
    };
    const actions = listActions(world, state, order, variant);
    return [
      ...call("calls for", {}),
      ...actions.flatMap((action) => call(`does a ${action} of`, { action, retryBelow: 0 })),
      ...(variant.decides ? call("pays without a search", {}, true) : []),
    ];
  });
}

function listActions(world: World, state: State, order: Order, { payer, acts, decides }: Variant): PaymentAction[] {
  const open = state.find(({ step, end }) => step === "pay" && end === undefined);
  if (!(acts || decides) || !open) return [];
  // More variants at one nonce change nothing.
  if (payer === "key") return open.signed.length < 2 ? ["speed-up", "cancel"] : [];
  const sent = [
    ...world.chain,
    ...world.fork,
    ...world.pool,
    ...world.forgotten,
    ...world.requests.map(({ id }) => id),
  ];
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
  const end = (name: string, changed: Partial<World> = {}) => [
    { name, state: setRun({ ...world, ...changed }, process, undefined) },
  ];
  const goOn = (name: string, after: Partial<Run>, changed: Partial<World> = {}) =>
    settle(name, { ...world, ...changed }, process, { ...run, ...after }, variant);
  const append = (name: string, entry: Entry, after: Partial<Run> = {}, changed: Partial<World> = {}) => {
    const more = [...entries, entry];
    const journals = (changed.journals ?? world.journals).map((journal, at) =>
      at === run.journal ? { ...journal, [order]: more } : journal,
    );
    const fresh = { entries: more, sight: initial(variant, sight.retryBelow), account: undefined };
    return goOn(name, { ...fresh, ...after }, { ...changed, journals });
  };
  const follow = (attempt: Attempt, hash: string, nonce?: number, after: Partial<Run> = { sight }) => {
    const isIdentified = variant.isMarked || attempt.signed.length > 0 || variant.without === "own hashes";
    if (!isIdentified && isOfAnother(world, run, hash, variant))
      return end(`finds the ${hash} of another payment, ends`);
    return append(`finds ${hash}`, { type: "answered", attempt: attempt.attempt, hash, nonce }, after);
  };
  const byViews = (list: (view: View) => Transition<World>[]) =>
    listViews(world, variant).flatMap((view) =>
      list(view).map(({ name, state: after }) => ({
        name: view.name === "" ? name : `${name} (node: ${view.name})`,
        state: view.name === "" ? after : { ...after, faults: after.faults + 1 },
      })),
    );

  switch (command.do) {
    case "check":
      return run.account ? search(run.account) : byViews(readAccount);
    case "start":
      return start(command);
    case "deliver":
      return deliver(command.attempt);
    case "look":
      return byViews((view) => look(command.attempt, observe(world, view, run, command.attempt, variant), view));
    case "speed-up":
    case "cancel":
      return byViews((view) => replace(view, command.do === "cancel", command.attempt));
    case "give-up":
      return byViews((view) => giveUp(command.attempt, observe(world, view, run, command.attempt, variant)));
    case "conclude": {
      const { attempt, hash } = command.attempt;
      return append(
        "is paid",
        { type: "final", attempt, outcome: "succeeded", hash },
        { sight: { ...sight, isPaid: true } },
      );
    }
    case "review": {
      const { attempt, hash = "" } = command.attempt;
      return byViews(({ chain }) =>
        chain.includes(`${hash}+`)
          ? goOn("looks again", { sight: { ...sight, isPaid: true } })
          : append("misses the payment", { type: "reopened", attempt }, { sight }),
      );
    }
    case "record":
      return append(`records ${command.entry.type}`, command.entry);
    case "finish":
      return finish();
    case "stop":
      return end(`stops: ${command.reason}`);
  }

  function readAccount(view: View): Transition<World>[] {
    for (const attempt of state) {
      if (attempt.end !== "given-up" || attempt.step !== "pay") continue;
      const seen = observe(world, view, run, attempt, variant);
      if (seen.kind === "located") return follow(attempt, seen.hash, seen.nonce);
      if (seen.kind === "seen" && seen.outcome === "succeeded" && attempt.hash !== undefined) {
        return follow(attempt, attempt.hash);
      }
    }
    const mined = countMined(view.chain);
    const pending = variant.without === "pending nonce" ? mined : countPending(view);
    const found = variant.without === "nonce first" ? findMarked(view.chain, order, variant) : undefined;
    const account = { mined, pending, block: view.chain.length, view: view.name, found };
    return goOn("reads the nonce", { account });
  }

  /** Looks for the order's payment after its nonce was read. */
  function search(before: NonNullable<Run["account"]>): Transition<World>[] {
    const { chain, pool } = seeAgain(world, before.view);
    const isLate = variant.without === "nonce first";
    const account = isLate
      ? { ...before, mined: countMined(chain), pending: countPending({ chain, pool }) }
      : { ...before, found: findMarked(chain, order, variant) };
    const { found, mined, pending, block } = account;
    const known = listKnown();
    if (found !== undefined && !run.isBlind) {
      const givenUp = state.findLast(({ step, end }) => step === "pay" && end === "given-up");
      if (givenUp) return follow(givenUp, found, getNonce(found), {});
      const facts = toFacts("pay", 0, getNonce(found));
      return append(`finds ${found}`, { type: "asked", attempt: state.length, hash: found, ...facts });
    }
    if (countMined(chain) < mined && variant.without !== "nonce again") return end("finds the chain reorganised");
    const isLike = (id: string) =>
      isPayment(id) && id.endsWith("+") && !known.some(({ hash }) => hash === id.slice(0, -1));
    if (
      !variant.isMarked &&
      !run.isBlind &&
      (entries.length === 0 || variant.without !== "known searches") &&
      chain.some(isLike)
    )
      return end("is uncertain");
    for (let nonce = mined; nonce < pending; nonce++) {
      const isAt = (other: Attempt) => other.end === undefined && (other.nonce ?? other.nextNonce) === nonce;
      const hashes = known.flatMap(({ hash, signed }) => [hash, ...signed.map((one) => one.hash)]);
      const shown = pool.filter((id) => getNonce(id) === nonce);
      const isKnown =
        variant.without === "pending hashes" ? known.some(isAt) : shown.every((id) => hashes.includes(id));
      if (!isKnown && variant.without !== "pending nonce") return end("finds the payer busy");
    }
    const madeNow = state.filter(({ attempt, end }) => attempt >= run.first && end !== "refused" && end !== "given-up");
    const isAllowed = !variant.needsApproval || hasAllowance(chain);
    const mayBatch = !state.some(({ attempt, callsId }) => attempt >= run.first && callsId !== undefined);
    if (isAllowed || (payer === "calls" && mayBatch)) return goOn("plans", plan("pay"));
    if (madeNow.some(({ step }) => step === "approve")) return end("is not allowed to pay");
    return goOn("plans", plan("approve"));

    function plan(needs: PaymentStep): Partial<Run> {
      return { account: { ...account, block, mined, pending }, sight: { ...sight, needs } };
    }
  }

  function listKnown(): (Attempt & { isOwn: boolean })[] {
    const journal = world.journals[run.journal];
    return (["A", "B"] as const).flatMap((each) =>
      machine
        .fold(each === order ? entries : (journal?.[each] ?? []))
        .map((attempt) => ({ ...attempt, isOwn: each === order })),
    );
  }

  function start({ step: next, attempt }: Extract<Command, { do: "start" }>): Transition<World>[] {
    const { block = 0, pending = 0 } = run.account ?? {};
    if (attempt >= variant.maxAttempts) return [];
    const before = state.findLast((other) => other.step === next && other.attempt >= run.first);
    if (
      before?.end !== undefined &&
      before.failure?.kind !== "unsupported" &&
      before.end !== "given-up" &&
      next === "pay"
    ) {
      return end("pays again", { wrong: "it pays again without a call" });
    }
    const nonce = Math.max(pending, ...state.map((other) => (other.nonce ?? -1) + 1));
    const facts = toFacts(next, block, nonce);
    const letter = next === "approve" ? "a" : "p";
    if (payer === "key") {
      const hash = nameTransaction(world, `${order}${letter}${nonce}`);
      const signed = { type: "signed", attempt, nonce, hash, raw: hash, ...facts } as const;
      const killed = append(`signs ${hash}, is killed`, signed).map(kill);
      return [...killed, ...append(`signs ${hash}`, signed).flatMap((next) => broadcastNow(next))];
    }
    const isSame = (other: Attempt & { isOwn: boolean }) =>
      !other.isOwn &&
      other.step === "pay" &&
      other.end === undefined &&
      other.hash === undefined &&
      other.nextNonce === nonce;
    if (!variant.isMarked && next === "pay" && variant.without !== "unanswered" && listKnown().some(isSame))
      return end("awaits another answer of the wallet");
    const id = nameTransaction(world, `${order}r`);
    const isCalls =
      payer === "calls" && !state.some((other) => other.attempt >= run.first && other.callsId !== undefined);
    const asked = { type: "asked", attempt, ...(isCalls ? { callsId: id } : {}), ...facts } as const;
    const request = { id, state: "open", step: isCalls ? "b" : letter } as const;
    const sightAfter = initial(variant, sight.retryBelow);
    return [
      ...append(`is killed before it asks ${id}`, asked).map(kill),
      ...append(`asks ${id}`, asked, { awaits: id, sight: sightAfter }, { requests: [...world.requests, request] }),
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
    if (attempt.signed.length > 0) {
      const raws = state.filter((other) => other.end === undefined).flatMap(({ signed }) => signed.slice(-1));
      const missing = raws.filter(({ raw }) => !world.chain.some((block) => block.startsWith(raw)));
      return goOn("broadcasts", isDelivered, {
        pool: missing.reduce((pool, { raw }) => add(pool, raw), world.pool),
        forgotten: world.forgotten.filter((id) => !missing.some(({ raw }) => raw === id)),
      });
    }
    if (run.awaits === undefined || attempt.attempt < run.first) return goOn("looks", isDelivered);
    const { answer } = run;
    if (answer === undefined) return [];
    const after = { ...isDelivered, awaits: undefined, answer: undefined };
    const { attempt: number } = attempt;
    if (answer.startsWith("calls"))
      return append(`learns ${answer}`, { type: "answered", attempt: number, callsId: answer.slice(6) }, after);
    if (/^[AB]/.test(answer) || answer.startsWith("x")) return follow(attempt, answer, undefined, after);
    const failure = answer as "rejected" | "unsupported" | "unknown";
    const failed = { ...after, sight: { ...after.sight, failed: number } };
    return append(`learns ${failure}`, { type: "failed", attempt: number, failure, block: world.chain.length }, failed);
  }

  function look(attempt: Attempt, seen: Sighting, view: View): Transition<World>[] {
    const { attempt: number, failure } = attempt;
    switch (seen.kind) {
      case "pending":
      case "missing":
        return [];
      case "silent": {
        const blocks = (view.chain.length - (failure?.block ?? 0)) * SILENT_BLOCKS;
        return goOn("sees nothing", { sight: { ...sight, silence: { blocks, waits: 0 } } });
      }
      case "dropped": {
        const failed = { sight: { ...sight, failed: number } };
        return append(
          "sees no calls",
          { type: "failed", attempt: number, failure: "rejected", block: view.chain.length },
          failed,
        );
      }
      case "located":
        return follow(attempt, seen.hash, seen.nonce);
      case "seen": {
        const { outcome, confirmations } = seen;
        const isFinal = variant.saysFinal ? confirmations > variant.reorgDepth : undefined;
        const name = `sees ${attempt.hash} ${outcome}, ${confirmations} deep`;
        return goOn(name, { sight: { ...sight, seen: { outcome, confirmations, isFinal } } });
      }
    }
  }

  function replace(view: View, isCancel: boolean, attempt: Attempt): Transition<World>[] {
    const { nonce = 0, attempt: number } = attempt;
    const fresh = { sight: initial(variant, sight.retryBelow) };
    if (countMined(view.chain) > nonce) return goOn(`finds ${nonce} used`, fresh);
    const hash = nameTransaction(world, `${order}${isCancel ? "c" : attempt.step === "pay" ? "p" : "a"}${nonce}`);
    const signed = isCancel
      ? ({ type: "cancelling", attempt: number, hash, raw: hash, worstCaseFee: "" } as const)
      : ({
          type: "signed",
          attempt: number,
          nonce,
          hash,
          raw: hash,
          ...toFacts(attempt.step, attempt.fromBlock, nonce),
        } as const);
    return append(`signs ${hash}`, signed, fresh);
  }

  function giveUp(attempt: Attempt, seen: Sighting): Transition<World>[] {
    if (attempt.signed.length > 0) return [];
    if (seen.kind === "located") return follow(attempt, seen.hash, seen.nonce, {});
    if (seen.kind !== "missing" && seen.kind !== "silent") return [];
    return append("gives it up", { type: "given-up", attempt: attempt.attempt });
  }

  function finish(): Transition<World>[] {
    const { hash = "" } = state.find(({ step, end }) => step === "pay" && end === "succeeded") ?? {};
    const reported = { ...world.reported, [order]: hash };
    const at = world.chain.indexOf(`${hash}+`);
    // The chain may be shorter by a reorganisation than when it was counted; a deeper one removes what was confirmed.
    const mayLag = variant.faults.includes("lag") && variant.reorgDepth >= variant.confirmations;
    const isThere = at >= 0 ? world.height - at >= variant.confirmations : mayLag;
    if (world.reported[order === "A" ? "B" : "A"] === hash)
      return end("is done", { wrong: "one payment is reported for two orders" });
    return end("is done", isThere ? { reported } : { wrong: "it is reported as paid, and is not" });
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

const toFacts = (step: PaymentStep, fromBlock: number, nextNonce: number) =>
  ({ step, to: "", data: "", value: "", worstCaseFee: "", fromBlock, nextNonce }) as const;
