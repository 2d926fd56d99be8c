import { randomUUID } from "node:crypto";
import type { IncomingMessage, ServerResponse } from "node:http";
import { json } from "node:stream/consumers";
import {
  createOrder,
  isKeeplightError,
  type NetworkName,
  type PaymentNetwork,
  type PaymentToken,
  verifyPayment,
} from "keeplight";
import type { Pool } from "pg";
import { openLedger, type ShopOrder } from "./ledger.ts";

export interface ShopOptions {
  database: Pool;
  network: NetworkName | PaymentNetwork;
  /** Nodes; of three, two have to agree. Default those of the network. */
  rpc?: readonly string[];
  /** What each item costs, in the smallest unit of the token. */
  prices: Readonly<Record<string, { token: PaymentToken; amount: bigint }>>;
  /** How many blocks confirm a payment before its item is delivered: more than before it is shown as paid. */
  deliveryConfirmations: number;
  expiresInMs?: number;
  /** How long after its end an order is still delivered, as payments take some time. Default 10 minutes. */
  graceMs?: number;
  deliver(order: ShopOrder): Promise<void>;
}

/** The payment is not in the chain, or is another one. A node that fails, or lags behind, proves neither. */
const GONE: ReadonlySet<string> = new Set(["PAYMENT_NOT_FOUND", "PAYMENT_REVERTED", "PAYMENT_MISMATCH"]);
/** The same claim may succeed later. */
const NOT_YET: ReadonlySet<string> = new Set(["PAYMENT_NOT_FOUND", "PAYMENT_UNCONFIRMED", "PAYMENT_REORGANISED"]);
const REFUSED = /^PAYMENT_|^INVALID_(OPTION|ADDRESS)$|^TOKEN_NOT_SUPPORTED$/;

/** An error of the shop itself, as the client sees it. */
class ShopError extends Error {
  readonly status: number;
  readonly code: string;

  constructor(status: number, code: string) {
    super(code);
    this.status = status;
    this.code = code;
  }
}

export async function createShop(options: ShopOptions) {
  const { database, network, rpc, prices, deliveryConfirmations, expiresInMs, graceMs = 600_000 } = options;
  const ledger = await openLedger(database);
  const reading = { network, rpc };

  async function placeOrder({ item, sender }: { item?: unknown; sender?: unknown }) {
    const price = Object.hasOwn(prices, String(item)) ? prices[String(item)] : undefined;
    if (!price) throw new ShopError(400, "UNKNOWN_ITEM");
    // The price is the shop's. Only who pays is up to the client.
    const order = await createOrder({
      ...reading,
      ...price,
      orderId: randomUUID(),
      sender: sender as string,
      expiresInMs,
    });
    await ledger.add(order, String(item));
    return find(order.orderId);
  }

  async function find(orderId: string): Promise<ShopOrder> {
    const found = await ledger.find(orderId);
    if (!found) throw new ShopError(404, "UNKNOWN_ORDER");
    return found;
  }

  async function claimPayment(orderId: string, { hash }: { hash?: unknown }) {
    // The order of the database, never one that the client sends.
    const { order } = await find(orderId);
    const receipt = await verifyPayment(String(hash), { ...reading, order });
    await ledger.credit(orderId, receipt);
    const claimed = await find(orderId);
    if (claimed.receipt?.id !== receipt.id) throw new ShopError(409, claimed.receipt ? "ALREADY_PAID" : "PAYMENT_USED");
    return claimed;
  }

  const isLate = ({ order, receipt }: ShopOrder) =>
    receipt !== null && receipt.timestamp * 1000 > Date.parse(order.expiresAt) + graceMs;

  const getState = (it: ShopOrder) =>
    !it.receipt ? "open" : it.isDelivered ? "delivered" : isLate(it) ? "late" : "paid";

  /**
   * Delivers what is paid for good: each order once, or never if the process ends right then. Late payments are left to a
   * person, as prices may have changed.
   */
  async function deliverPaid(): Promise<void> {
    for (const paid of await ledger.listPaid()) {
      const { order, receipt } = paid;
      if (!receipt || isLate(paid)) continue;
      const { hash, id } = receipt;
      const logIndex = receipt.logIndex ?? undefined;
      try {
        const again = await verifyPayment(hash, { ...reading, order, logIndex, confirmations: deliveryConfirmations });
        if (again.id === id && (await ledger.markDelivered(receipt)))
          await options.deliver({ ...paid, isDelivered: true });
      } catch (error) {
        if (isKeeplightError(error) && GONE.has(error.code)) await ledger.takeBack(receipt);
        else if (!isKeeplightError(error)) throw error;
      }
    }
  }

  async function route({ method, url = "" }: IncomingMessage, body: object): Promise<ShopOrder> {
    const [, root, id, action, ...more] = new URL(url, "http://shop").pathname.split("/");
    const path = root === "orders" && more.length === 0 ? [method, id !== undefined, action].join(" ") : "";
    if (path === "POST false ") return placeOrder(body);
    if (path === "GET true " && id) return find(id);
    if (path === "POST true payment" && id) return claimPayment(id, body);
    throw new ShopError(404, "UNKNOWN_PATH");
  }

  /** Handles a request of `node:http`. */
  async function handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { status, content } = await respond(request);
    response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(content));
  }

  async function respond(request: IncomingMessage): Promise<{ status: number; content: object }> {
    try {
      const body = request.method === "POST" ? await readBody(request) : {};
      const found = await route(request, body);
      return { status: 200, content: { state: getState(found), order: found.order, item: found.item } };
    } catch (error) {
      if (error instanceof ShopError) return { status: error.status, content: { code: error.code } };
      if (!isKeeplightError(error)) console.error(error);
      const code = isKeeplightError(error) ? error.code : "INTERNAL";
      const status = NOT_YET.has(code) ? 425 : REFUSED.test(code) ? 422 : 503;
      // What differs from the order's payment.
      const { field } = isKeeplightError(error, "PAYMENT_MISMATCH") ? error.details : {};
      return { status, content: { code, field } };
    }
  }

  return { handle, deliverPaid };
}

const MAX_BODY_BYTES = 10_000;

async function readBody(request: IncomingMessage): Promise<object> {
  if (Number(request.headers["content-length"] ?? Infinity) > MAX_BODY_BYTES) throw new ShopError(413, "TOO_LARGE");
  const body = await json(request).catch(() => undefined);
  if (typeof body !== "object" || body === null) throw new ShopError(400, "INVALID_JSON");
  return body;
}
