import {
  createKit,
  createOrder,
  type Eip1193Provider,
  estimatePayment,
  type PaymentOrder,
  type PayOptions,
  payWithToken,
  type Signer,
  verifyPayment,
} from "../../src/index.ts";

// Compiled by `npm run typecheck`, never run.

declare const signer: Signer;
declare const wallet: Eip1193Provider;
const order = { network: "polygon", token: "usdc", amount: 1n } as const;

export async function requiresAPayer(): Promise<void> {
  await payWithToken({ ...order, signer: wallet });
  await payWithToken({ ...order, privateKey: "0b".repeat(32) });
  // @ts-expect-error: nobody pays
  await payWithToken(order);
  // @ts-expect-error: either one or the other
  await payWithToken({ ...order, signer: wallet, privateKey: "0b".repeat(32) });
  // @ts-expect-error: who signs messages cannot send transactions
  await payWithToken({ ...order, signer });
}

export async function requiresOneAmountAndAToken(): Promise<void> {
  const payer = { network: "polygon", signer: wallet } as const;
  await payWithToken({ ...payer, token: "usdc", size: 1 });
  // @ts-expect-error: no amount
  await payWithToken({ ...payer, token: "usdc" });
  // @ts-expect-error: two amounts
  await payWithToken({ ...payer, token: "usdc", amount: 1n, size: 1 });
  // @ts-expect-error: no token
  await payWithToken({ ...payer, size: 1 });
}

/** Numbers that the compiler knows are checked; others when the call is made. */
export async function requiresWholeAmounts(amount: number, options: PayOptions): Promise<void> {
  const payer = { network: "polygon", token: "usdc", privateKey: "0b".repeat(32) } as const;
  await payWithToken({ ...payer, amount });
  await payWithToken({ ...payer, amount: 5_000_000 });
  await payWithToken({ ...payer, size: 2 ** 30 });
  await payWithToken(options);
  if (options.order === undefined) await estimatePayment(options);
  await verifyPayment("0x", { sender: "0x", amount: 1n });
  // @ts-expect-error: half a unit
  await payWithToken({ ...payer, amount: 1.5 });
  // @ts-expect-error: half a byte
  await estimatePayment({ ...payer, size: 1.5 });
  // @ts-expect-error: half a unit
  await verifyPayment("0x", { sender: "0x", amount: 1.5 });
  // @ts-expect-error: an unknown option, as before
  await payWithToken({ ...payer, amount: 1, mony: 1 });
}

/** What signs a kit's messages does not pay, even if it could. */
export async function requiresAPayerOfAKit(both: Signer & PayOptions["signer"]): Promise<void> {
  const kit = createKit({ apiKey: "key", signer: both });
  // @ts-expect-error: nobody pays
  await kit.payWithToken(order);
  await kit.payWithToken({ ...order, signer: both });
  await kit.payWithToken({ ...order, privateKey: "0b".repeat(32) });
}

export async function requiresAnOrderOrItsTerms(hash: string, order: PaymentOrder): Promise<void> {
  await createOrder({ orderId: "1", token: "usdc", size: 5 });
  await createKit({ apiKey: "key" }).verifyPayment(hash, { order, confirmations: 5 });
  await verifyPayment(hash, { order, network: "polygon", rpc: ["http://127.0.0.1"], logIndex: 1 });
  // @ts-expect-error: no id
  await createOrder({ token: "usdc", amount: 5 });
  // @ts-expect-error: half a unit
  await createOrder({ orderId: "1", token: "usdc", amount: 0.5 });
  // @ts-expect-error: two amounts
  await createOrder({ orderId: "1", token: "usdc", amount: 5, size: 5 });
  // @ts-expect-error: neither
  await verifyPayment(hash, { network: "polygon" });
  // @ts-expect-error: no amount
  await verifyPayment(hash, { token: "usdc", sender: "0x" });
  // @ts-expect-error: an amount beside the order
  await verifyPayment(hash, { order, amount: 5 });
  // @ts-expect-error: a sender beside the order
  await verifyPayment(hash, { order, sender: "0x" });
  // @ts-expect-error: an order that is a string
  await verifyPayment(hash, { order: JSON.stringify(order) });
}
