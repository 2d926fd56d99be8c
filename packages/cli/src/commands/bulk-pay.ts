import type { PayerOptions, PaymentToken } from "keeplight";
import type { Invocation } from "../frame/invocation.ts";
import { UsageError } from "../frame/usage-error.ts";
import { loadBulk, withPlan } from "../steps/bulk.ts";
import { findNetwork } from "../steps/chains.ts";
import { requireConsent } from "../steps/consent.ts";
import { describeCost, showEstimate } from "../steps/estimate.ts";
import { readBig } from "../steps/numbers.ts";
import { findPayer } from "../steps/payer.ts";

/** Pays for the storage of a plan. */
export async function run(invocation: Invocation): Promise<void> {
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
