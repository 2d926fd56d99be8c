import { randomUUID } from "node:crypto";
import type { AmountOptions, PayerOptions, PaymentToken } from "keeplight";
import type { Invocation } from "../frame/invocation.ts";
import { UsageError } from "../frame/usage-error.ts";
import { findNetwork } from "../steps/chains.ts";
import { requireConsent } from "../steps/consent.ts";
import { describeCost, showEstimate } from "../steps/estimate.ts";
import { readBig } from "../steps/numbers.ts";
import { findPayer } from "../steps/payer.ts";

/** Pays for storage. */
export async function run(invocation: Invocation): Promise<void> {
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
