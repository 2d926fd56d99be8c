import type { ChainTransaction } from "../../network/ethereum/eth-rpc.ts";
import { paymentContract } from "../chain/contracts.ts";
import type { PaymentReceipt } from "./receipt.ts";

/**
 * Keeps the payments of a transaction that carry this mark. A direct call has to be the payment and the mark, nothing else.
 * A smart account or another contract makes the payment by a call within its data: the calls of one amount and token,
 * whatever their mark, belong to the events of that amount and token, in their order. Data need not be carried out: if it
 * has more of these calls than there are events, it does not show which of them paid, and none counts.
 */
export function keepMarked<Paid extends Pick<PaymentReceipt, "amount" | "tokenAddress" | "contract">>(
  receipts: readonly Paid[],
  { to, data }: Pick<ChainTransaction, "to" | "data">,
  mark: string,
): Paid[] {
  const input = data.toLowerCase();
  const calls = receipts.map(({ amount, tokenAddress }) =>
    paymentContract.encodeFunctionData("receiveToken", [amount, tokenAddress]),
  );
  return receipts.filter(({ contract }, at) => {
    const call = calls[at] ?? "";
    if (to === contract) return input === `${call}${mark}`;
    const marks = readMarks(input, call.slice(2));
    const count = (list: readonly string[]) => list.filter((other) => other === call).length;
    return marks.length <= count(calls) && marks[count(calls.slice(0, at))] === mark;
  });
}

/** Reads the 32 bytes after each occurrence of a call: its mark, if it has one. */
function readMarks(data: string, call: string): string[] {
  const marks: string[] = [];
  for (let at = data.indexOf(call); at !== -1; at = data.indexOf(call, at + 1)) {
    const end = at + call.length;
    if (at % 2 === 0) marks.push(data.slice(end, end + 64));
  }
  return marks;
}
