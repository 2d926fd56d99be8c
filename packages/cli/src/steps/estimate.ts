import type { PaymentEstimate } from "keeplight";
import type { Invocation } from "../frame/invocation.ts";
import { formatAmount } from "../output/format.ts";
import { formatFacts } from "../output/table.ts";

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
