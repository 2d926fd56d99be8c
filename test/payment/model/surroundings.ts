import type { Failure } from "../../../src/payment/machine.ts";
import type { Transition } from "../../support/explore.ts";
import { countMined, countPending, hasAllowance } from "./nodes.ts";
import {
  add,
  type Fault,
  getNonce,
  isPayment,
  type Order,
  type Request,
  toKey,
  type Variant,
  type World,
  without,
} from "./world.ts";

/** Lists what chain, nodes, wallet and disks may do. */
export function listEvents(world: World, variant: Variant): Transition<World>[] {
  const events: Transition<World>[] = [];
  const happen = (name: string, changed: Partial<World>, fault?: Fault) => {
    if (fault && (world.faults >= variant.maxFaults || !variant.faults.includes(fault))) return;
    events.push({ name, state: { ...world, ...changed, faults: world.faults + (fault ? 1 : 0) } });
  };
  listChainEvents(world, variant, happen);
  for (const request of world.requests) listWalletEvents(world, request, variant, happen);
  listJournalEvents(world, variant, happen);
  return events;
}

type Happen = (name: string, changed: Partial<World>, fault?: Fault) => void;

function listChainEvents(world: World, variant: Variant, happen: Happen): void {
  const { chain, pool, forgotten, height } = world;
  const mine = (name: string, block: string, rest: Partial<World> = {}, fault?: Fault) => {
    const longer = [...chain, block];
    if (longer.length <= variant.maxHeight)
      happen(name, { chain: longer, height: Math.max(height, longer.length), ...rest }, fault);
  };
  const nonce = countMined(chain);
  for (const id of pool) {
    happen(`drops ${id}`, { pool: without(pool, id), forgotten: add(forgotten, id) }, "drop");
    if (getNonce(id) !== nonce) continue;
    const rest = { pool: without(pool, id) };
    const isPaid = !variant.needsApproval || id[1] !== "p" || hasAllowance(chain);
    mine(`mines ${id}${isPaid ? "" : ", which reverts"}`, `${id}${isPaid ? "+" : "-"}`, rest);
    if (isPaid && isPayment(id)) mine(`mines ${id}, which reverts`, `${id}-`, rest, "revert");
  }
  // Whoever has the bytes of a transaction can broadcast it; a wallet's needs a fault more.
  for (const id of variant.faults.length > 0 ? forgotten : []) {
    if (getNonce(id) < nonce) continue;
    const returned = { pool: add(pool, id), forgotten: without(forgotten, id) };
    happen(`${id} returns`, returned, variant.payer === "key" ? undefined : "drop");
  }
  mine("mines nothing", "");
  const other = `xo${countPending(world)}a`;
  happen(`the account sends ${other}`, { pool: add(pool, other) }, "other");
  if (chain.length <= height - variant.reorgDepth || chain.length === 0) return;
  const removed = chain.slice(height - variant.reorgDepth).filter((block) => block !== "");
  const ids = removed.map((block) => block.slice(0, -1));
  const shorter = { chain: chain.slice(0, height - variant.reorgDepth), fork: chain };
  happen(`reorganises, ${ids} are pending`, { ...shorter, pool: ids.reduce(add, pool) }, "reorganise");
  if (ids.length > 0)
    happen(`reorganises, forgets ${ids}`, { ...shorter, forgotten: ids.reduce(add, forgotten) }, "reorganise");
}

/** Names a transaction unlike any other. */
export function nameTransaction(world: World, prefix: string): string {
  const text = toKey(world);
  return prefix + "abcdefghijklm".split("").find((letter) => !text.includes(prefix + letter));
}

function listWalletEvents(world: World, request: Request, { isWilling }: Variant, happen: Happen): void {
  const { requests, pool, runs, height } = world;
  const { id, state, step } = request;
  const change = (after?: Request) =>
    after ? requests.map((other) => (other === request ? after : other)) : without(requests, request);
  const answer = (text: string) => runs.map((run) => (run?.awaits === id ? { ...run, answer: text } : run));
  const isCalls = step === "b";
  if (state === "late") {
    if (height - (request.at ?? 0) < 2) happen(`${id} is sent after all`, { ...send(), requests: change() });
    else happen(`${id} is too late`, { requests: change() });
    return;
  }
  if (state === "accepted") {
    const { hash, pool: after } = send();
    happen(`makes the calls ${id}`, { pool: after, requests: change({ ...request, state: "made", made: hash }) });
    if (!isWilling) happen(`drops the calls ${id}`, { requests: change({ ...request, state: "dropped" }) });
  }
  if (state !== "open") return;
  if (isCalls) {
    happen(`accepts ${id}`, { requests: change({ ...request, state: "accepted" }), runs: answer(`calls ${id}`) });
  } else {
    const sent = send();
    happen(`sends ${sent.hash}`, { pool: sent.pool, requests: change(), runs: answer(sent.hash) });
    const others = [...world.chain.map((block) => block.slice(0, -1)), ...pool].filter((other) => other !== "");
    for (const other of others) {
      happen(
        `sends ${sent.hash}, says ${other}`,
        { pool: sent.pool, requests: change(), runs: answer(other) },
        "wrong hash",
      );
    }
  }
  if (isWilling) return;
  const failures: readonly Failure[] = isCalls ? ["rejected", "unsupported", "unknown"] : ["rejected", "unknown"];
  for (const failure of failures) {
    // The wallet knows nothing of calls that it has failed at, but may have made them.
    happen(`fails at ${id}: ${failure}`, { requests: change(), runs: answer(failure) });
    happen(`sends ${id}, fails: ${failure}`, { pool: send().pool, requests: change(), runs: answer(failure) }, "lie");
    // One block after a rejection is one too late.
    const at = failure === "unknown" ? height : height - 1;
    const late = change({ ...request, state: "late", at });
    happen(`fails at ${id}: ${failure}, sends it later`, { requests: late, runs: answer(failure) }, "late");
  }

  function send() {
    const hash = nameTransaction(world, `${id[0]}${step}${countPending(world)}`);
    return { hash, pool: add(pool, hash) };
  }
}

/** Whether a wallet was requested coins for an order, and has named no transaction. */
function isUnanswered({ journals }: World, { machine, payer, isMarked }: Variant, order: Order): boolean {
  const attempts = journals.flatMap(({ [order]: entries }) => machine.fold(entries));
  return payer === "wallet" && !isMarked && attempts.some(({ hash, end }) => hash === undefined && end !== "refused");
}

function listJournalEvents(world: World, variant: Variant, happen: Happen): void {
  const { journals, runs, requests } = world;
  for (const [at, journal] of journals.entries()) {
    for (const order of ["A", "B"] as const) {
      const entries = journal[order];
      // Who loses what paid one order in coins, while another was requested and not answered, cannot tell whose payment it was.
      if (isUnanswered(world, variant, order === "A" ? "B" : "A")) continue;
      for (let length = 0; length < entries.length; length++) {
        const restored = { ...journal, [order]: entries.slice(0, length) };
        const changed = {
          journals: journals.map((other) => (other === journal ? restored : other)),
          runs: runs.map((run) => (run?.journal === at ? undefined : run)),
          // What a wallet has yet to send, and no journal knows, cannot be known of.
          requests: requests.filter(({ state }) => state === "made" || state === "dropped"),
          hasLostJournal: true,
        };
        happen(`journal ${at} of ${order} has only ${length} of ${entries.length} entries`, changed, "lose");
      }
    }
  }
  const [first, second] = journals;
  if (variant.journals !== "copied" || !first || !second || first.A.length === 0 || second.A.length > 0) return;
  happen("the journal is copied", { journals: [first, { ...second, A: first.A }] });
}
