import { randomUUID } from "node:crypto";
import type { AmountOptions, Payment, PaymentEstimate, PaymentProgress, PaymentToken, PayOptions } from "keeplight";
import { UsageError } from "../frame/failure.ts";
import type { Invocation } from "../frame/invocation.ts";
import { formatAmount, formatBytes, formatPrice } from "../output/format.ts";
import { formatFacts } from "../output/table.ts";
import { findPayer, requireConsent } from "../steps/authority.ts";
import { withPlan } from "../steps/bulk.ts";
import { findNetwork, readBig, readWhole } from "../steps/inputs.ts";

export async function quote(invocation: Invocation): Promise<void> {
  const { load, call, account, output, list, option } = invocation;
  const { getQuote } = await load();
  const apiKey = await account.tryApiKey();
  const token = option("token") as PaymentToken | undefined;
  const quoted = await getQuote(list("path"), { ...call, apiKey, network: findNetwork(invocation), token });
  const { metaData, totalSize, usage, price } = quoted;
  const facts = formatFacts([
    ["Files", String(metaData.length)],
    ["Size", formatBytes(totalSize)],
    price && ["Price", formatPrice(price)],
    usage && ["Left", `${formatBytes(usage.dataLeft)} of ${formatBytes(usage.dataLimit)}, afterwards`],
  ]);
  output.result({ files: metaData.length, totalSize, usage, price }, facts, String(totalSize));
}

export async function pay(invocation: Invocation): Promise<void> {
  const { payWithToken } = await invocation.load();
  const amount = readAmount(invocation);
  const order = await readOrder(invocation);
  await payFor(invocation, order, amount, "", async (payment) => {
    const order = invocation.option("order");
    const orderId = order ?? `cli-${randomUUID()}`;
    const journal = await invocation.journal({ kind: "payment", subject: orderId });
    // A new id has no payment that could be found.
    const searchBlocks = order === undefined ? 0 : readWhole(invocation, "searchBlocks");
    return payWithToken({ ...payment, ...amount, orderId, journal, searchBlocks });
  });
}

function readAmount(invocation: Invocation): AmountOptions {
  const size = readBig(invocation, "size");
  const amount = readBig(invocation, "amount");
  if (size !== undefined && amount === undefined) return { size };
  if (amount !== undefined && size === undefined) return { amount };
  throw new UsageError("Exactly one of --size and --amount is required");
}

export async function bulkPay(invocation: Invocation): Promise<void> {
  const order = await readOrder(invocation);
  await withPlan(invocation, async (plan, ledger, { payBulk }) => {
    await payFor(invocation, order, { size: plan.bytesToSend }, ", unless the plan is paid", async (payment) => {
      const journal = await invocation.journal({ kind: "payment", subject: `bulk ${plan.id}` });
      return payBulk(plan, { ...payment, ledger, journal });
    });
  });
}

type Order = Awaited<ReturnType<typeof readOrder>>;

/** Reads all of a payment but the amount. */
async function readOrder(invocation: Invocation) {
  const { call, option, account } = invocation;
  const token = option("token") as PaymentToken | undefined;
  if (token === undefined) throw new UsageError("--token is required: usdc, usdt, dai or native");
  const maxFee = readBig(invocation, "maxFee");
  const payer = await findPayer(invocation);
  // What is paid is credited to the account that pays.
  const address = await (await account.ownSigner()).getAddress();
  return { order: { ...call, network: findNetwork(invocation), token }, address, payer, maxFee };
}

/** Estimates a payment, asks, and pays; with `--dry-run` only the first. */
async function payFor(
  invocation: Invocation,
  { order, address, payer, maxFee }: Order,
  size: AmountOptions,
  exception: string,
  pay: (
    payment: Order["order"] & Order["payer"] & Pick<PayOptions, "maxAmount" | "maxFee" | "onProgress">,
  ) => Promise<Payment>,
): Promise<void> {
  const { load, output, isDryRun } = invocation;
  const { estimatePayment } = await load();
  const estimate = await estimatePayment({ ...order, ...size, address });
  if (isDryRun) return showEstimate(invocation, estimate);
  const maxAmount = limitAmount(size, estimate);
  const limit = maxAmount > estimate.amount ? `, at most ${describeAmount(estimate, maxAmount)} before fees,` : "";
  await requireConsent(invocation, `Pay ${describeCost(estimate)}${limit} from ${estimate.from}${exception}?`);
  const onProgress = ({ phase, state, hash }: PaymentProgress) =>
    output.note([phase, state, hash].filter(Boolean).join(" "));
  const { hash, link, from, fee, amount } = await pay({ ...order, ...payer, maxAmount, maxFee, onProgress });
  output.result({ hash, link, token: order.token, amount, from, fee }, `Paid: ${link || hash}`, hash);
}

/** Returns the most that is paid. The price of a coin may change a little before the payment is signed. */
function limitAmount({ size }: AmountOptions, { token, amount }: PaymentEstimate): bigint {
  return size !== undefined && token === "native" ? amount + amount / 50n : amount;
}

/** Prints what a payment would cost. */
function showEstimate({ output }: Invocation, estimate: PaymentEstimate): void {
  const { token, amount, from, fee, usd, missing, symbol, decimals, steps } = estimate;
  const facts = formatFacts([
    ["Cost", describeCost(estimate)],
    ["Payer", from],
    ["Transactions", steps.map(({ step }) => step).join(", ")],
    ...missing.map(({ asset, amount: lacks }) => {
      const number = formatAmount(lacks, asset === token ? decimals : 18);
      return ["Lacks", `${number} ${asset === "native" ? symbol : asset}`] as const;
    }),
  ]);
  output.result({ token, amount, from, fee, usd, missing }, facts, String(amount));
}

const describeAmount = ({ token, decimals, symbol }: PaymentEstimate, amount: bigint) =>
  `${formatAmount(amount, decimals)} ${token === "native" ? symbol : token}`;

/** Describes what a payment costs, in one line. */
function describeCost(estimate: PaymentEstimate): string {
  const { amount, fee, symbol, usd } = estimate;
  const total = usd ? ` (${usd.total} US dollars in all)` : "";
  return `${describeAmount(estimate, amount)} and about ${formatAmount(fee, 18)} ${symbol} of fees${total}`;
}
