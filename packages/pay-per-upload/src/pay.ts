import { isKeeplightError, KeeplightError, type UploadPaymentFacts } from "keeplight";
import { assertSuccess, getReceipt, wait } from "keeplight/parts";
import { authorize, computeNonce, type Order, toTypedData } from "./authorization.ts";
import type { Call, TextResponse } from "./call.ts";
import { connectTo, findTransfer, type PayerState, readPayer, readTransfer } from "./chain.ts";
import { ignoreAnyFailure, invalidResponse, paymentNotTaken, withDetails } from "./errors.ts";
import { nextStep, type Sight } from "./next-step.ts";
import type { Paying } from "./options.ts";
import { continueOrder } from "./order.ts";
import type { Payer } from "./payer.ts";
import { type Payment, readRefusal, readSettlement, type Terms, toPayment, withAmount } from "./terms.ts";

/** What is paid for. */
export interface PaidRequest {
  order: Order;
  /** How much is sent. */
  bytes: number;
  /** Requests what it costs. */
  quote(): Promise<Terms>;
  /** Sends it, with what pays for it. */
  send(payment: Payment): Promise<TextResponse>;
  /** Whether a response with a status of success shows that it is done. */
  isAccepted(response: TextResponse): boolean;
  /** Whether the network shows it. */
  isDone(): Promise<boolean>;
}

/** How a paid request ended. */
export interface Outcome {
  payment: UploadPaymentFacts;
  /** In the token's smallest unit, if this call has paid. */
  amount?: string | undefined;
  /** The service's, if it was not lost. */
  response?: TextResponse | undefined;
}

/** How often chain and network are read while something may still happen there, in milliseconds. */
const LOOK_MS = 1_000;

/** A request that was sent, and what came of it. */
interface Sent {
  amount: string;
  response?: TextResponse | undefined;
  error?: unknown;
}

/**
 * Pays for a request, unless its order was paid before, and has it done. What may be done is decided by {@link nextStep}.
 *
 * @throws before anything is signed: `INVALID_OPTION`, `PAYMENT_ABOVE_LIMIT`, `INSUFFICIENT_FUNDS`, `UNEXPECTED_PAYMENT`,
 * `SIGNATURE_REJECTED`, what the quote throws; after that, and if the order was paid before, with `details.payment`:
 * `PAID_NOT_STORED`, `PAYMENT_NOT_TAKEN`, what `send` throws
 */
export async function payFor(request: PaidRequest, paying: Paying, call: Call): Promise<Outcome> {
  const { signal } = call;
  const opened = await openOrder(request.order, paying, call);
  const { payment, readChain, findTransaction } = opened;
  const sight: Sight = { isPaid: false, isDone: false, lookedMs: 0, waitMs: paying.waitMs };
  let sent: Sent | undefined;
  let answeredAt = 0;

  /** Reads what chain and network show now. A node that does not respond shows nothing. */
  async function look(): Promise<PayerState | undefined> {
    const state = await readChain();
    sight.isPaid ||= state?.isUsed ?? false;
    if (sight.isPaid) sight.isDone = await request.isDone();
    return state;
  }

  /** The chain is believed before the service. */
  const withTransaction = async (): Promise<UploadPaymentFacts> => {
    const settlement = sent?.response && readSettlement(sent.response);
    const reported = settlement?.isSuccess ? settlement.transaction : undefined;
    const found = await findTransaction().catch((error: unknown) => {
      // The id of what is stored is in no other response: an abort must not lose it.
      if (sight.answer !== "done") throw error;
    });
    const transaction = found ?? reported;
    return transaction === undefined ? payment : { ...payment, transaction };
  };

  try {
    let state = await look();
    for (;;) {
      switch (nextStep(sight)) {
        case "send": {
          const { terms, signed } = await sign(request, paying, { ...opened, state, isPaid: sight.isPaid }, signal);
          sent = { amount: terms.offer.amount };
          try {
            sent.response = await request.send(signed);
          } catch (error) {
            if (!isKeeplightError(error) || error.code === "ABORTED") throw error;
            sent.error = error;
          }
          sight.answer = readAnswer(sent.response, request);
          answeredAt = performance.now();
          if (sight.answer !== "done") state = await look();
          break;
        }
        case "look":
          await wait(Math.min(LOOK_MS, sight.waitMs - sight.lookedMs), signal);
          await look();
          sight.lookedMs = performance.now() - answeredAt;
          break;
        case "finish":
          return { payment: await withTransaction(), ...(sight.answer === "done" ? sent : {}) };
        case "stop-paid":
          throw paidNotStored(await withTransaction(), toFailure(sent, payment));
        case "stop":
          throw toFailure(sent, payment);
      }
    }
  } catch (error) {
    // What was signed may still be carried out.
    if (!sent && !sight.isPaid) throw error;
    if (!isKeeplightError(error)) throw paymentNotTaken(payment, undefined, error);
    throw withDetails(error, { payment, ...error.details });
  }
}

/** What shows on the chain whether an order is paid, and who may pay it. */
export async function openOrder(order: Order, paying: Paying, call: Call) {
  const { network } = paying;
  const payer = await continueOrder(order, paying, call);
  const { usdc: _, ...facts } = order;
  const payment: UploadPaymentFacts = { ...facts, nonce: await computeNonce(order) };
  const rpc = connectTo(network, call);
  const findTransaction = () => findTransfer(rpc, network, payment);
  return {
    payer,
    payment,
    /** `undefined` if no node responds. */
    readChain: () => readPayer(rpc, network, payment).catch(ignoreAnyFailure),
    /** Returns the hash of the transaction that paid, if a node shows it. */
    findTransaction,
    /** Returns how much was paid, if a node shows it. */
    async findAmount(): Promise<string | undefined> {
      const hash = await findTransaction();
      const mined = hash === undefined ? undefined : await getReceipt(rpc, hash).catch(ignoreAnyFailure);
      return mined && readTransfer(mined.logs, network, payment)?.amount;
    },
  };
}

interface Signing extends Pick<Awaited<ReturnType<typeof openOrder>>, "payment" | "findAmount"> {
  payer: Payer;
  /** What the chain showed, if a node responded. */
  state: PayerState | undefined;
  isPaid: boolean;
}

async function sign(
  request: PaidRequest,
  { network, maxAmount }: Paying,
  { payment, payer, state, isPaid, findAmount }: Signing,
  signal: AbortSignal | undefined,
) {
  const quoted = await request.quote();
  // A service that honours a payment knows it by what was paid then.
  const paid = isPaid ? await findAmount() : undefined;
  const terms = paid === undefined ? quoted : withAmount(quoted, paid);
  const amount = BigInt(terms.offer.amount);
  if (amount > maxAmount) throw aboveLimit(amount, maxAmount);
  if (state && !isPaid && state.balance < amount) throw insufficientFunds(amount, state.balance);
  const here = Math.floor(Date.now() / 1000);
  const clock = { here, chain: state?.now ?? here };
  const { nonce } = payment;
  const authorization = authorize(terms.offer, { payer: payer.address, nonce, bytes: request.bytes }, clock);
  const signature = await payer.sign(toTypedData(authorization, terms.offer, network.chainId), signal);
  return { terms, signed: toPayment(terms, authorization, signature) };
}

/** A refusal before anything is settled is clear; anything else that is no success may have been settled, or be settled later. */
function readAnswer(response: TextResponse | undefined, request: PaidRequest): "done" | "refused" | "unclear" {
  if (!response) return "unclear";
  const { status, headers } = response;
  const settlement = readSettlement(response);
  if (status >= 200 && status < 300) {
    return request.isAccepted(response) && settlement?.isSuccess !== false ? "done" : "unclear";
  }
  if (status === 402) return headers["payment-required"] && !headers["payment-response"] ? "refused" : "unclear";
  return status >= 400 && status < 500 && status !== 408 ? "refused" : "unclear";
}

const aboveLimit = (amount: bigint, maxAmount: bigint) =>
  new KeeplightError("PAYMENT_ABOVE_LIMIT", `The payment of ${amount} is above maxAmount, ${maxAmount}`, {
    details: { amount: String(amount), maxAmount: String(maxAmount) },
  });

const insufficientFunds = (needed: bigint, available: bigint) =>
  new KeeplightError("INSUFFICIENT_FUNDS", "The balance in USDC does not cover the upload", {
    details: { asset: "USDC", needed: String(needed), available: String(available) },
  });

const paidNotStored = (payment: UploadPaymentFacts, cause: unknown) =>
  new KeeplightError(
    "PAID_NOT_STORED",
    "The order is paid, and the network does not show what was paid for: nothing is paid again by calling again",
    { details: { payment }, cause },
  );

function toFailure({ response, error }: Partial<Sent> = {}, payment: UploadPaymentFacts): unknown {
  if (!response) return error;
  const isRefused = response.status === 402 || readSettlement(response)?.isSuccess === false;
  if (isRefused) return paymentNotTaken(payment, readRefusal(response));
  try {
    assertSuccess(response, "request");
    return invalidResponse(response, "The service does not say what it did");
  } catch (refusal) {
    return refusal;
  }
}
