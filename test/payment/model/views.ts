import type { Attempt, Entry, Outcome } from "../../../src/payment/machine.ts";
import { getNonce, isPayment, type Order, type Run, type Variant, type World } from "./world.ts";

/** What one node shows. */
export interface View {
  name: string;
  chain: readonly string[];
  pool: readonly string[];
}

/** Lists what nodes may show: all, or, with the fault "lag", no pending transactions and older or reorganised chains. */
export function listViews(world: World, variant: Variant): View[] {
  const { chain, fork, pool } = world;
  const truth = { name: "", chain, pool };
  // A payment that neither a journal nor the node shows cannot be known of.
  const isTrue = world.faults >= variant.maxFaults || world.hasLostJournal;
  if (isTrue || !variant.faults.includes("lag")) return [truth];
  const others = [
    { name: "hidden", chain, pool: [] },
    { name: "1 ago", chain: chain.slice(0, -1), pool: [] },
    { name: "2 ago", chain: chain.slice(0, -2), pool: [] },
    { name: "fork", chain: fork, pool: [] },
  ];
  const seen = new Set([`${chain.join()}|${pool.join()}`]);
  const differs = (view: View) => {
    const key = `${view.chain.join()}|${view.pool.join()}`;
    return !seen.has(key) && seen.add(key);
  };
  return [truth, ...others.filter(differs)];
}

/** What the same node shows later. */
export function seeAgain({ chain, fork, pool }: World, name: string): View {
  if (name === "") return { name, chain, pool };
  const seen = name === "fork" ? fork : name === "1 ago" ? chain.slice(0, -1) : chain.slice(0, -2);
  return { name, chain: name === "hidden" ? chain : seen, pool: [] };
}

export const countMined = (chain: readonly string[]): number => chain.filter((block) => block !== "").length;

export function countPending({ chain, pool }: Pick<View, "chain" | "pool">): number {
  let nonce = countMined(chain);
  while (pool.some((id) => getNonce(id) === nonce)) nonce++;
  return nonce;
}

export function hasAllowance(chain: readonly string[]): boolean {
  const last = chain.findLast((block) => block.endsWith("+") && /^.[apb]/.test(block));
  return last?.[1] === "a";
}

const find = (chain: readonly string[], id: string | undefined) =>
  chain.findIndex((block) => block !== "" && block.slice(0, -1) === id);

/** The first mined payment with the order's mark. */
export function findMarked(chain: readonly string[], order: Order, variant: Variant, not?: string): string | undefined {
  if (!variant.isMarked || variant.without === "mark") return undefined;
  const found = chain.find(
    (block) => block[0] === order && isPayment(block) && block.endsWith("+") && block.slice(0, -1) !== not,
  );
  return found?.slice(0, -1);
}

export type Sighting =
  | { kind: "seen"; outcome: Outcome; confirmations: number }
  | { kind: "located"; hash: string; nonce?: number | undefined }
  | { kind: "pending" | "missing" | "dropped" | "silent" };

/** Looks at an attempt, as `observe` does of a transaction that was unknown for long. */
export function observe(world: World, view: View, run: Run, attempt: Attempt, variant: Variant): Sighting {
  const { chain, pool } = view;
  const { signed, hash, nextNonce, callsId, failure } = attempt;
  const see = (at: number, outcome?: Outcome): Sighting => ({
    kind: "seen",
    outcome: outcome ?? (chain[at]?.endsWith("+") ? "succeeded" : "reverted"),
    confirmations: chain.length - at,
  });
  const isSame = (id: string) =>
    isSameCall(id, run.order, attempt, variant) && !isAnothers(world, run, attempt, id, variant);
  const isSigned = signed.length > 0 && variant.without !== "own hashes";
  const locate = (id: string): Sighting => ({ kind: "located", hash: id, nonce: getNonce(id) });
  const lookAtNonce = (nonce: number): Sighting => {
    const at = chain.findIndex((block) => block !== "" && getNonce(block) === nonce);
    const known = signed.at(-1)?.hash ?? hash ?? "";
    if (at < 0) return { kind: pool.includes(known) ? "pending" : "missing" };
    const by = chain[at]?.slice(0, -1) ?? "";
    if (by === hash) return { kind: "pending" };
    if (!isSigned && isSame(by)) return locate(by);
    const found = !isSigned && attempt.step === "pay" && findMarked(chain, run.order, variant, hash);
    return found ? locate(found) : see(at, "displaced");
  };
  if (isSigned) {
    for (const variant of signed.toReversed()) {
      const at = find(chain, variant.hash);
      if (at < 0) continue;
      if (variant.isCancel) return see(at, "displaced");
      return variant.hash === hash ? see(at) : locate(variant.hash);
    }
    return lookAtNonce(attempt.nonce ?? nextNonce);
  }
  const at = find(chain, hash);
  const isMatch = hash !== undefined && at >= 0 && getNonce(hash) >= nextNonce && at >= attempt.fromBlock;
  if (isMatch && (isSame(hash) || (variant.without === "mark" && isPayment(hash)))) return see(at);
  if (attempt.nonce !== undefined && at < 0) return lookAtNonce(attempt.nonce);
  if (at < 0 && hash !== undefined && pool.includes(hash)) return isSame(hash) ? locate(hash) : { kind: "pending" };
  const marked = attempt.step === "pay" ? findMarked(chain, run.order, variant, hash) : undefined;
  if (marked !== undefined) return locate(marked);
  const request = world.requests.find(({ id }) => id === callsId);
  if (request) {
    const made = find(chain, request.made);
    if (made >= 0 && request.made !== hash) return { kind: "located", hash: request.made ?? "" };
    if (made >= 0 && chain[made]?.endsWith("-")) return see(made);
    if (request.state === "accepted" || request.state === "made") return { kind: "pending" };
    if (request.state === "dropped" && !failure) return { kind: "dropped" };
    if (!failure) return { kind: "missing" };
  }
  const taken = chain.find((block) => block !== "" && getNonce(block) === nextNonce)?.slice(0, -1);
  if (callsId === undefined && taken !== undefined && taken !== hash && isSame(taken)) return locate(taken);
  if (attempt.step !== "pay" && hasAllowance(chain)) return { kind: "seen", outcome: "succeeded", confirmations: 1 };
  const mayBeMade =
    countPending(view) > countMined(chain) || chain.some((id) => getNonce(id) >= nextNonce && isSame(id));
  return { kind: failure && !mayBeMade ? "silent" : "missing" };
}

/** Whether a transaction does what an attempt was to do: payments of one amount in coins are all the same. */
function isSameCall(id: string, order: Order, attempt: Attempt, { isMarked }: Variant): boolean {
  if (attempt.callsId !== undefined) return isPayment(id) && id[0] === order;
  return isSameOf(id, attempt) && (attempt.step !== "pay" || !isMarked || id[0] === order);
}

const isSameOf = (id: string, { step }: Attempt) => (step === "pay" ? isPayment(id) : id[1] === "a");

/** Whether a payment without a mark may be that of the journal's other order: what is given up yields to what is open. */
function isAnothers(
  world: World,
  run: Run,
  attempt: Attempt,
  id: string,
  { machine, isMarked, without }: Variant,
): boolean {
  if (isMarked || attempt.signed.length > 0 || without === "others' hashes") return false;
  const others = machine.fold(world.journals[run.journal]?.[run.order === "A" ? "B" : "A"] ?? []);
  return others.some(
    ({ hash, end, nextNonce }) =>
      hash === id.slice(0, 4) || (hash === undefined && end === undefined && nextNonce === attempt.nextNonce),
  );
}

/** Whether the journal's other order has this transaction. */
export function isOfAnother(world: World, run: Run, hash: string, { machine }: Variant): boolean {
  const other: readonly Entry[] = world.journals[run.journal]?.[run.order === "A" ? "B" : "A"] ?? [];
  return machine.fold(other).some((attempt) => attempt.hash === hash);
}
