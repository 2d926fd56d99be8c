import type { Attempt, Outcome } from "../../../src/payment/machine.ts";
import { getNonce, isPaid, type Order, type Variant, type World } from "./world.ts";

/** What one node shows. */
export interface View {
  name: string;
  chain: readonly string[];
  pool: readonly string[];
}

/** Lists what nodes may show: all, or, with the fault "lag", no pending transactions and older or reorganised chains. */
export function listViews(world: World, { faults, maxFaults }: Variant): View[] {
  const names = ["", "hidden", "1 ago", "2 ago", "fork"];
  // Nobody can know of a payment that neither a journal nor the node shows.
  const isTrue = world.faults >= maxFaults || world.hasLostJournal || !faults.includes("lag");
  const views = (isTrue ? [""] : names).map((name) => getView(world, name));
  const texts = views.map(({ chain, pool }) => `${chain.join()}|${pool.join()}`);
  return views.filter((_, at) => texts.indexOf(texts[at] ?? "") === at);
}

export function getView({ chain, fork, pool }: World, name: string): View {
  if (name === "") return { name, chain, pool };
  const older = name === "1 ago" ? chain.slice(0, -1) : name === "2 ago" ? chain.slice(0, -2) : chain;
  return { name, chain: name === "fork" ? fork : older, pool: [] };
}

export const countMined = (chain: readonly string[]): number => chain.filter((block) => block !== "").length;

export function countPending({ chain, pool }: Pick<View, "chain" | "pool">): number {
  let nonce = countMined(chain);
  while (pool.some((id) => getNonce(id) === nonce)) nonce++;
  return nonce;
}

export const hasAllowance = (chain: readonly string[]): boolean =>
  chain.findLast((block) => /^.[apb].*\+$/.test(block))?.[1] === "a";

/** What identifies the call of a transaction or of an attempt: payments of one amount in coins are all the same. */
export function toCall(id: string, { isMarked }: Pick<Variant, "isMarked">): string {
  const [order, step] = id;
  return step === "p" && !isMarked ? "p" : step === "a" ? "a" : `${step}${order}`;
}

/** The first mined payment with the order's mark. */
export function findMarked(chain: readonly string[], order: Order, variant: Variant, not?: string): string | undefined {
  if (!variant.isMarked || variant.without === "searching by the mark") return undefined;
  const found = chain.find((block) => block[0] === order && isPaid(block) && block.slice(0, -1) !== not);
  return found?.slice(0, -1);
}

export type Observation =
  | { kind: "seen"; outcome: Outcome; confirmations: number }
  | { kind: "located"; hash: string; nonce?: number | undefined }
  | { kind: "pending" | "missing" | "dropped" | "silent" };

export interface Look {
  world: World;
  view: View;
  order: Order;
  attempt: Attempt;
  /** The attempts of other payments that the process knows. */
  others: readonly Attempt[];
  variant: Variant;
}

/** Looks at an attempt, as `observe` does of a transaction that was unknown for long. */
export function observe(look: Look): Observation {
  const { view, order, attempt, others, variant } = look;
  const { chain, pool } = view;
  const { signed, hash, callsId, failure, nextNonce, nonce } = attempt;
  const isPay = attempt.step === "pay";
  const isDirect = (id: string) => toCall(id, variant) === attempt.data;
  const isOthers = (id: string) => others.some((other) => other.hash === id);
  const locate = (id: string): Observation => ({ kind: "located", hash: id, nonce: getNonce(id) });
  const find = (id = "none") => chain.findIndex((block) => block.startsWith(id));
  const findAt = (used: number) => chain.findIndex((block) => block !== "" && getNonce(block) === used);
  const findByMark = () => (isPay ? findMarked(chain, order, variant, hash) : undefined);
  const see = (at: number, outcome?: Outcome): Observation => ({
    kind: "seen",
    outcome: outcome ?? (chain[at]?.endsWith("+") ? "succeeded" : "reverted"),
    confirmations: chain.length - at,
  });
  const isOwn = (id?: string) =>
    variant.without !== "accepting own bytes only" && signed.some((one) => one.hash === id);
  const isSigned = variant.without === "seeing what was located" ? signed.length > 0 : isOwn(hash);
  return isSigned ? observeSigned() : observeAsked();

  function observeSigned(): Observation {
    for (const one of signed.toReversed()) {
      const at = find(one.hash);
      if (at < 0) continue;
      if (one.isCancel) return see(at, "displaced");
      return one.hash === hash ? see(at) : locate(one.hash);
    }
    return observeNonce(nonce ?? nextNonce, pool.includes(signed.at(-1)?.hash ?? ""));
  }

  function observeNonce(used: number, isKnown: boolean): Observation {
    if (countMined(chain) <= used) return { kind: isKnown ? "pending" : "missing" };
    const at = findAt(used);
    const by = chain[at]?.slice(0, -1) ?? "";
    if (by === hash) return { kind: "pending" };
    if (isOwn(by)) return locate(by);
    const mayBeOther = variant.isMarked ? isPay : signed.length === 0 || variant.without === "accepting own bytes only";
    const isSame = (signed.length === 0 || mayBeOther) && isDirect(by);
    if (isSame && variant.without !== "locating the same call at the nonce") return locate(by);
    const found = variant.without === "searching by the mark once the nonce is used" ? undefined : findByMark();
    return found === undefined ? see(at, "displaced") : locate(found);
  }

  function observeAsked(): Observation {
    const at = find(hash);
    if (hash !== undefined && at >= 0 && isMatch(hash, at)) return see(at);
    const isMismatch = at >= 0;
    const isKnown = hash !== undefined && pool.includes(hash);
    if (nonce !== undefined && !isMismatch) return observeNonce(nonce, isKnown);
    if (isKnown) return isDirect(hash) ? locate(hash) : { kind: "pending" };
    const marked = findByMark();
    if (marked !== undefined) return locate(marked);
    if (callsId !== undefined) {
      const { state, made = hash } = readCallsStatus();
      if (made !== undefined && made !== hash) return { kind: "located", hash: made };
      if (state === "reverted" && isMismatch) return see(at, "reverted");
      if (state === "pending") return { kind: "pending" };
      if (!failure) return { kind: state === "dropped" ? "dropped" : "missing" };
    }
    const found = findByNonce();
    if (found !== undefined && found !== hash) return locate(found);
    if (!isPay && hasAllowance(chain)) return { kind: "seen", outcome: "succeeded", confirmations: 1 };
    return { kind: failure && isSilent() ? "silent" : "missing" };
  }

  function isMatch(id: string, at: number): boolean {
    if (getNonce(id) < nextNonce || at + 1 < attempt.fromBlock) return false;
    const isMarked = !variant.isMarked || id[0] === order;
    return isDirect(id) || (chain[at]?.endsWith("+") === true && (!isPay || (isPaid(chain[at] ?? "") && isMarked)));
  }

  function findByNonce(): string | undefined {
    const id = chain[findAt(nextNonce)]?.slice(0, -1);
    if (callsId !== undefined || id === undefined || !isDirect(id)) return undefined;
    if (isOthers(id) && variant.without !== "leaving known hashes to their payments") return undefined;
    const mayBeOthers = others.some(isAlike) && variant.without !== "leaving what two requests may have made";
    return mayBeOthers ? undefined : id;
  }

  function isAlike(other: Attempt): boolean {
    const isOpen = other.end === undefined && other.hash === undefined && other.failure?.kind !== "rejected";
    return isOpen && other.data === attempt.data && other.nextNonce === nextNonce;
  }

  function isSilent(): boolean {
    if (countPending(view) > countMined(chain)) return false;
    const isSame = (id: string) => {
      const isIgnored = isOthers(id) && variant.without !== "ignoring others' payments in silence";
      return id !== "" && getNonce(id) >= nextNonce && isDirect(id) && !isIgnored;
    };
    if (chain.some((block) => isSame(block.slice(0, -1)))) return false;
    if (callsId === undefined) return true;
    const { state } = readCallsStatus();
    return state === "dropped" || (state !== "pending" && state !== "confirmed");
  }

  /** The wallet knows nothing of calls that it has failed at, though it may have made them. */
  function readCallsStatus(): { state: "pending" | "confirmed" | "reverted" | "dropped" | "unknown"; made?: string } {
    const request = look.world.requests.find(({ id }) => id === callsId);
    const at = find(request?.made);
    if (request?.made !== undefined && at >= 0)
      return { state: chain[at]?.endsWith("+") ? "confirmed" : "reverted", made: request.made };
    if (request?.state === "accepted" || request?.state === "made") return { state: "pending" };
    return { state: request?.state === "dropped" ? "dropped" : "unknown" };
  }
}
