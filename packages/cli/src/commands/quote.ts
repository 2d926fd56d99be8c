import type { PaymentToken, Quote } from "keeplight";
import type { Invocation } from "../frame/invocation.ts";
import { formatAmount, formatBytes } from "../output/format.ts";
import { formatFacts } from "../output/table.ts";
import { findNetwork } from "../steps/chains.ts";

/** Computes what storing files would take and cost. */
export async function run(invocation: Invocation): Promise<void> {
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
