import { getAddress } from "ethers";
import type { Context } from "hono";
import { CHAIN_ID } from "../chain/chain.ts";
import type { SettleAction } from "../faults.ts";
import { type Env, Refusal } from "../http/json.ts";
import type { Network } from "../network.ts";
import { createFacilitator, type Facilitator, toFailure } from "./facilitator.ts";
import {
  decodePayment,
  encodeHeader,
  type Payload,
  type Payment,
  type Requirements,
  readPayload,
  type Settlement,
  toPaymentKey,
} from "./payment.ts";
import { quote } from "./price.ts";
import type { Sale } from "./receipts.ts";

/** The service's own account, which is paid and has the files. */
export const SERVICE_ADDRESS = getAddress("0x4020000000000000000000000000000000000402");

export const NETWORK_ID = `eip155:${CHAIN_ID}`;

/** A sale that is described to the payer. */
export interface Offer extends Sale {
  description: string;
  /** The response to a request that fails. */
  failure: string;
}

/** What the payer gets. Changes that wait for the payment are noted under its key. */
type Serve = (payload: Payload) => Promise<Response>;

/** What is decided when a payment is accepted. */
interface Purchase {
  facilitator: Facilitator;
  requirements: Requirements;
  payload: Payload;
  offer: Offer;
  /** The settlement of a payment that was made before. */
  earlier?: Settlement | undefined;
  fault?: SettleAction | undefined;
}

/**
 * Serves a request that is paid for: verifies the payment, serves, and makes the transfer before the response is sent. A
 * response from status 400 up is not paid for.
 *
 * @throws Refusal 502 without a chain, on which nothing can be verified.
 */
export async function charge(c: Context<Env>, network: Network, offer: Offer, serve: Serve): Promise<Response> {
  const { chain, till, options, settleFaults } = network;
  if (!chain) throw new Refusal(502, "Failed to initialize: the devnet has no chain", "error");
  const facilitator = createFacilitator(chain.transfers);
  const requirements = createRequirements(quote(offer.size, till.usdPerMiB).amount, facilitator.asset);
  const demand = (error: string) => {
    const resource = { url: c.req.url, description: offer.description, mimeType: "application/json" };
    const required = encodeHeader({ x402Version: 2, error, resource, accepts: [requirements] });
    return c.json({}, 402, { "PAYMENT-REQUIRED": required });
  };

  const payment = decodePayment(c.req.header("payment-signature"));
  if (!payment) return demand("Payment required");
  const honoured = options.x402.honours ? await findHonoured(payment, offer, facilitator, network) : undefined;
  if (honoured) return sell(c, network, { facilitator, requirements, offer, ...honoured }, serve);
  const payload = await facilitator.verify(payment, requirements).catch((error: unknown) => String(error));
  if (typeof payload === "string") return demand(payload);
  return sell(
    c,
    network,
    { facilitator, requirements, offer, payload, fault: settleFaults.get(c.env.incoming) },
    serve,
  );
}

function createRequirements(amount: string, asset: string): Requirements {
  return {
    scheme: "exact",
    network: NETWORK_ID,
    amount,
    asset: getAddress(asset),
    payTo: SERVICE_ADDRESS,
    maxTimeoutSeconds: 300,
    extra: { name: "USDC", version: "2" },
  };
}

/** Finds out whether a payment was made before, and what was paid for is still owed. It may have expired since. */
async function findHonoured(payment: Payment, offer: Offer, facilitator: Facilitator, { till }: Network) {
  const payload = readPayload(payment);
  if (!payload || !(await facilitator.isSigned(payload))) return undefined;
  const earlier = till.receipts.claim(payload, offer);
  return earlier && { payload, earlier };
}

async function sell(c: Context<Env>, { till }: Network, purchase: Purchase, serve: Serve): Promise<Response> {
  const { facilitator, requirements, payload, offer, earlier, fault } = purchase;
  const how = fault?.how;

  async function settle(): Promise<Settlement> {
    await till.wait(fault?.delayMs ?? (how === "late" ? LATE_MS : 0));
    if (how === "fail") return toFailure(payload, requirements, "invalid_exact_evm_transaction_failed");
    const settlement = await facilitator.settle(payload, requirements);
    if (settlement.success) till.receipts.add(payload, offer, settlement);
    return settlement;
  }

  function finish(settlement: Settlement, response: Response): Response {
    const { success, transaction } = settlement;
    till.files.settle(toPaymentKey(payload.authorization), success ? transaction : undefined);
    const sent = success ? response : c.json({}, 402);
    sent.headers.set("PAYMENT-RESPONSE", encodeHeader(settlement));
    return sent;
  }

  const fails = () => c.json({ error: offer.failure, message: "Request failed with status code 504" }, 500);
  const isEarly = how === "early" || how === "early-and-fail";
  const first = earlier ?? (isEarly ? await settle() : undefined);
  if (first && !first.success) return finish(first, fails());
  const response = how === "early-and-fail" ? fails() : await serve(payload);
  if (response.status >= 400) {
    if (first) till.receipts.reopen(payload);
    return response;
  }
  if (how === "late") {
    // nobody waits for it, and nothing does when the devnet closes
    settle().then(
      (settlement) => finish(settlement, response),
      () => {},
    );
    return fails();
  }
  const settlement = first ?? (await settle());
  if (how === "twice" && settlement.success) await facilitator.force(payload);
  return finish(settlement, response);
}

const LATE_MS = 500;
