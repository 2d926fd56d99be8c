import { isKeeplightError } from "../../base/errors/base.ts";
import { paymentUnderpaid } from "../../base/errors/payment.ts";
import { transferProbe } from "../chain/abi.ts";
import { decodeResult, toCallFields } from "../chain/eth-rpc.ts";
import { TRANSFER_PROBE_CODE } from "../chain/transfer-probe.ts";
import { readCapabilities } from "../wallet/capabilities.ts";
import type { Context, ReadingContext, StepRequest } from "./context.ts";

/** Whether the payer's wallet makes several calls in one transaction (EIP-5792). */
export async function canBatch({ sender, order }: Context): Promise<boolean> {
  if (sender.kind !== "wallet" || !sender.prompt) return false;
  return (await readCapabilities(sender, order.network.chainId)).isAtomic;
}

/**
 * Simulates approvals and then the transfer with a state override that replaces the contract's code, to see how much of
 * the token would arrive. Nodes that cannot are skipped: the received amount is checked again after the payment.
 *
 * @throws `PAYMENT_UNDERPAID`; what {@link Rpc} throws
 */
export async function checkArrivalAfter(
  { order, rpc, sender }: ReadingContext,
  approvals: readonly StepRequest[],
  token: string,
): Promise<void> {
  const { contract } = order.network;
  const transfer = { to: contract, data: transferProbe.encodeFunctionData("arrives", [token, order.amount]) };
  const calls = [...approvals, transfer].map((call) => toCallFields({ ...call, from: sender.address }));
  const stateOverrides = { [contract]: { code: TRANSFER_PROBE_CODE } };
  const response = await rpc("eth_simulateV1", [{ blockStateCalls: [{ stateOverrides, calls }] }, "latest"]).catch(
    (error: unknown) => {
      if (isKeeplightError(error) && (error.code === "RPC_REFUSED" || error.code === "HTTP_STATUS")) return undefined;
      throw error;
    },
  );
  const arrives = decodeResult(transferProbe, "arrives", readLastResult(response));
  if (typeof arrives === "bigint" && arrives < order.amount)
    throw paymentUnderpaid({ step: "pay" }, order.amount, arrives);
}

/** What the last call of the last simulated block returned. */
function readLastResult(response: unknown): unknown {
  const block: unknown = Array.isArray(response) ? response.at(-1) : undefined;
  const { calls } = Object(block) as { calls?: unknown };
  const last: unknown = Array.isArray(calls) ? calls.at(-1) : undefined;
  return (Object(last) as { returnData?: unknown }).returnData;
}
