import { getReceipt, type Receipt, readFinalBlock, requestQuantity } from "../../network/ethereum/eth-rpc.ts";
import type { Outcome } from "../machine.ts";
import type { Context } from "./context.ts";

/** How the chain shows that an attempt ended. */
export interface Seen {
  outcome: Outcome;
  /** How many blocks confirm that, the first included. */
  confirmations: number;
  /** Whether the node calls the block final; `undefined` if it does not say. */
  isFinal?: boolean | undefined;
  /** Of a mined transaction. */
  receipt?: Receipt | undefined;
  /** Hash of the transaction that used the nonce. */
  by?: string | undefined;
}

type SeenObservation = { kind: "seen"; seen: Seen };

/** A single confirmation of a success requires no further request. */
export async function toSeen(
  context: Context,
  receipt: Receipt,
  outcome: Outcome = receipt.succeeded ? "succeeded" : "reverted",
): Promise<SeenObservation> {
  const { rpc, waiting } = context;
  if (outcome === "succeeded" && waiting.confirmations === 1)
    return { kind: "seen", seen: { outcome, confirmations: 1, receipt } };
  const seen = await countConfirmations(context, receipt.block, outcome);
  // A reorganisation may have moved the transaction after its block was read, and before the latest one was.
  const again = await getReceipt(rpc, receipt.hash);
  const isSettled = again?.block === receipt.block && again.succeeded === receipt.succeeded;
  return { kind: "seen", seen: { ...seen, confirmations: isSettled ? seen.confirmations : 1, receipt } };
}

export async function toDisplaced(context: Context, by: string | undefined, block: number): Promise<SeenObservation> {
  return { kind: "seen", seen: { ...(await countConfirmations(context, block, "displaced")), by } };
}

async function countConfirmations({ rpc }: Context, block: number, outcome: Outcome): Promise<Seen> {
  const latest = Number(await requestQuantity(rpc, "eth_blockNumber"));
  const final = outcome === "succeeded" ? undefined : await readFinalBlock(rpc);
  const isFinal = final === undefined ? undefined : block <= final;
  return { outcome, confirmations: Math.max(1, latest - block + 1), isFinal };
}
