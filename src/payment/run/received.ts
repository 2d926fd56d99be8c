import { isKeeplightError } from "../../base/errors/base.ts";
import { paymentUnclear, paymentUnderpaid } from "../../base/errors/payment.ts";
import type { Rpc } from "../../network/ethereum/json-rpc.ts";
import { erc20 } from "../chain/abi.ts";
import { callView, isLog, type Log, type Receipt, toHex } from "../chain/eth-rpc.ts";
import { findTransfers } from "../chain/events.ts";
import type { Attempt } from "../machine.ts";
import { type Context, toFacts } from "./context.ts";

/** What shows how much of a token arrived. */
interface Evidence {
  /** By the token's events of the payment; `undefined` if it has none that can be read. */
  transferred: bigint | undefined;
  /** Whether the token emitted anything. */
  hasLogs: boolean;
  /** What balances changed by in the block, if the node has that state. */
  moved: { debited: bigint; credited: bigint } | undefined;
}

/**
 * Compares the received amount with the order. A token that takes a fee emits an event with less; a malicious one can
 * emit any event, and a node can return the balances of another block, so both have to agree.
 *
 * @throws `PAYMENT_UNDERPAID` if less arrived, `PAYMENT_UNKNOWN` if events and balances disagree
 */
export async function checkReceived(
  context: Context,
  token: string,
  paid: Pick<Attempt, "step" | "hash"> & { receipt: Receipt },
): Promise<void> {
  const { order, rpc, sender } = context;
  const { amount } = order;
  const contract = order.network.contract.toLowerCase();
  const { logs, block } = paid.receipt;
  const transfers = findTransfers(logs, token).filter(
    ({ event: { from, to } }) => from === sender.address && to === contract,
  );
  const payerChange = await readBalanceChange(rpc, token, sender.address, block);
  const credited = await readBalanceChange(rpc, token, contract, block);
  const isKnown = payerChange !== undefined && credited !== undefined;
  const received = judge(amount, {
    transferred: transfers.length === 0 ? undefined : transfers.reduce((sum, { event }) => sum + event.amount, 0n),
    hasLogs: logs.some(({ address }) => address.toLowerCase() === token.toLowerCase()),
    moved: isKnown ? { debited: -payerChange, credited } : undefined,
  });
  if (received === "unclear" && isKnown && transfers.length > 0) {
    const moves = { [sender.address]: payerChange, [contract]: credited };
    if (await doEventsExplain(rpc, token, moves, block)) return;
  }
  if (received === "unclear") throw paymentUnclear(toFacts(context, paid));
  if (received < amount) throw paymentUnderpaid(toFacts(context, paid), amount, received < 0n ? 0n : received);
}

function judge(amount: bigint, { transferred, hasLogs, moved }: Evidence): bigint | "unclear" {
  if (transferred === undefined) {
    if (!moved) return "unclear";
    const received = moved.credited < moved.debited ? moved.credited : moved.debited;
    return received < amount && hasLogs ? "unclear" : received;
  }
  if (!moved) return transferred;
  const isMoved = moved.debited >= amount || moved.credited >= amount;
  if (transferred >= amount) return isMoved ? transferred : "unclear";
  return moved.credited >= amount ? "unclear" : transferred;
}

/** Whether all events of the block together explain the balances: then other transfers hid the payment in them. */
async function doEventsExplain(
  rpc: Rpc,
  token: string,
  moves: Readonly<Record<string, bigint>>,
  block: number,
): Promise<boolean> {
  const filter = { address: token, fromBlock: toHex(block), toBlock: toHex(block) };
  const response = await rpc("eth_getLogs", [filter]).catch(ignoreRefusal);
  const logs: Log[] = Array.isArray(response) ? response.filter(isLog) : [];
  const transfers = findTransfers(logs, token).map(({ event }) => event);
  return Object.entries(moves).every(([owner, change]) => {
    const net = transfers.reduce(
      (sum, { from, to, amount }) => sum + (to === owner ? amount : 0n) - (from === owner ? amount : 0n),
      0n,
    );
    return net === change;
  });
}

/** How much a token balance changed in a block; `undefined` if the node does not have that state. */
async function readBalanceChange(rpc: Rpc, token: string, owner: string, block: number): Promise<bigint | undefined> {
  try {
    const after = await callView(rpc, erc20, token, ["balanceOf", owner], toHex(block));
    const before = await callView(rpc, erc20, token, ["balanceOf", owner], toHex(block - 1));
    return typeof after === "bigint" && typeof before === "bigint" ? after - before : undefined;
  } catch (error) {
    return ignoreRefusal(error);
  }
}

/** Nodes without old state refuse to read it. */
function ignoreRefusal(error: unknown): undefined {
  if (isKeeplightError(error) && error.code !== "ABORTED") return undefined;
  throw error;
}
