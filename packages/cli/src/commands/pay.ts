import { randomUUID } from "node:crypto";
import type { AmountOptions, PayerOptions, PaymentEstimate, PaymentToken, Quote } from "keeplight";
import { UsageError } from "../frame/failure.ts";
import type { Invocation } from "../frame/invocation.ts";
import { formatAmount, formatBytes } from "../output/format.ts";
import { formatFacts } from "../output/table.ts";
import { findPayer, requireConsent } from "../steps/authority.ts";
import { loadBulk, withPlan } from "../steps/bulk.ts";
import { findNetwork, readBig } from "../steps/inputs.ts";

/** Computes what storing files would take and cost. */
export async function runQuote(invocation: Invocation): Promise<void> {
  const { load, call, account, output, list, option } = invocation;
  const { getQuote } = await load();
  const apiKey = await account.tryApiKey();
  const network = findNetwork(invocation);
  const token = option("token") as PaymentToken | undefined;
  const quote = await getQuote(list("path"), {
    ...call,
    apiKey,
    ...(network === undefined ? {} : { network }),
    ...(token === undefined ? {} : { token }),
  });
  const { metaData, totalSize, usage, price } = quote;
  output.result(
    { files: metaData.length, totalSize, ...(usage ? { usage } : {}), ...(price ? { price } : {}) },
    { text: () => describe(quote), quiet: String(totalSize) },
  );
}

function describe({ metaData, totalSize, usage, price }: Quote): string {
  const facts: [string, string][] = [
    ["Files", String(metaData.length)],
    ["Size", formatBytes(totalSize)],
  ];
  if (price)
    facts.push(["Price", `${formatAmount(price.amount, price.decimals)} ${price.token} (${price.usd} US dollars)`]);
  if (usage) facts.push(["Left", `${formatBytes(usage.dataLeft)} of ${formatBytes(usage.dataLimit)}, afterwards`]);
  return formatFacts(facts);
}

/** Pays for storage. */
export async function runPay(invocation: Invocation): Promise<void> {
  const { load, call, output, option, isDryRun, account } = invocation;
  const { estimatePayment, payWithToken } = await load();
  const amount = readAmount(invocation);
  const network = findNetwork(invocation);
  const token = option("token") as PaymentToken | undefined;
  if (token === undefined) throw new UsageError("--token is required: usdc, usdt, dai or native");
  const order = { ...call, ...(network === undefined ? {} : { network }), token, ...amount };
  const payer = await findPayer(invocation);
  // What is paid is credited to the account that pays.
  const address = await (await account.ownSigner()).getAddress();
  const estimate = await estimatePayment({ ...order, address });
  if (isDryRun) return showEstimate(invocation, estimate);
  await requireConsent(invocation, `Pay ${describeCost(estimate)} from ${estimate.from}?`);
  const maxFee = readBig("--max-fee", option("maxFee"));
  const orderId = option("order") ?? `cli-${randomUUID()}`;
  const journal = await invocation.journal({ kind: "payment", subject: orderId });
  const {
    hash,
    link,
    from,
    fee,
    amount: paid,
  } = await payWithToken({
    ...order,
    ...(payer as Extract<PayerOptions, { privateKey: string }>),
    ...(maxFee === undefined ? {} : { maxFee }),
    orderId,
    journal,
    onProgress: ({ phase, state, hash: sent }) => output.note([phase, state, sent].filter(Boolean).join(" ")),
  });
  output.result({ hash, link, token, amount: paid, from, fee }, { text: () => `Paid: ${link || hash}`, quiet: hash });
}

function readAmount({ option }: Invocation): AmountOptions {
  const size = readBig("--size", option("size"));
  const amount = readBig("--amount", option("amount"));
  if (size !== undefined && amount === undefined) return { size };
  if (amount !== undefined && size === undefined) return { amount };
  throw new UsageError("Exactly one of --size and --amount is required");
}

/** Pays for the storage of a plan. */
export async function runBulkPay(invocation: Invocation): Promise<void> {
  const { load, call, output, option, isDryRun, account } = invocation;
  const { estimatePayment } = await load();
  const { payBulk } = await loadBulk();
  const network = findNetwork(invocation);
  const token = option("token") as PaymentToken | undefined;
  if (token === undefined) throw new UsageError("--token is required: usdc, usdt, dai or native");
  const maxFee = readBig("--max-fee", option("maxFee"));
  const order = { ...call, ...(network === undefined ? {} : { network }), token };
  const payer = await findPayer(invocation);
  // What is paid is credited to the account that pays.
  const address = await (await account.ownSigner()).getAddress();
  await withPlan(invocation, async (plan, ledger) => {
    const estimate = await estimatePayment({ ...order, size: plan.bytesToSend, address });
    if (isDryRun) return showEstimate(invocation, estimate);
    await requireConsent(invocation, `Pay ${describeCost(estimate)} from ${estimate.from}, unless the plan is paid?`);
    const { hash, link, from, fee, amount } = await payBulk(plan, {
      ...order,
      ...(payer as Extract<PayerOptions, { privateKey: string }>),
      ...(maxFee === undefined ? {} : { maxFee }),
      ledger,
      journal: await invocation.journal({ kind: "payment", subject: `bulk ${plan.id}` }),
      onProgress: ({ phase, state, hash: sent }) => output.note([phase, state, sent].filter(Boolean).join(" ")),
    });
    output.result({ hash, link, token, amount, from, fee }, { text: () => `Paid: ${link || hash}`, quiet: hash });
  });
}

/** Prints what a payment would cost. */
export function showEstimate({ output }: Invocation, estimate: PaymentEstimate): void {
  const { token, amount, from, fee, usd, missing, symbol, steps } = estimate;
  const facts: [string, string][] = [
    ["Cost", describeCost(estimate)],
    ["Payer", from],
    ["Transactions", steps.map(({ step }) => step).join(", ")],
    ...missing.map(({ asset, amount: lacks }): [string, string] => [
      "Lacks",
      `${formatAmount(lacks, asset === token ? estimate.decimals : 18)} ${asset === "native" ? symbol : asset}`,
    ]),
  ];
  output.result(
    { token, amount, from, fee, ...(usd ? { usd } : {}), missing },
    { text: () => formatFacts(facts), quiet: String(amount) },
  );
}

/** Describes what a payment costs, in one line. */
export function describeCost({ token, amount, decimals, fee, symbol, usd }: PaymentEstimate): string {
  const name = token === "native" ? symbol : token;
  const total = usd ? ` (${usd.total} US dollars in all)` : "";
  return `${formatAmount(amount, decimals)} ${name} and about ${formatAmount(fee, 18)} ${symbol} of fees${total}`;
}
