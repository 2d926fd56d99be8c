import { resolve } from "node:path";
import type { PaymentToken } from "keeplight";
import type { Invocation } from "../frame/invocation.ts";
import { clean } from "../output/clean.ts";
import { formatAmount, formatBytes, formatDuration } from "../output/format.ts";
import { formatFacts } from "../output/table.ts";
import { findNetwork } from "../steps/chains.ts";

/** Lists a dataset, and what sending it costs. */
export async function run(invocation: Invocation): Promise<void> {
  const { argument, option, flag, call, output } = invocation;
  const { planBulk, manifestSource } = await import("@keeplight/bulk");
  const source = resolve(argument("source"));
  const manifest = option("manifest");
  const network = findNetwork(invocation);
  const token = option("token") as PaymentToken | undefined;
  const { plan, cost } = await planBulk(manifest === undefined ? source : manifestSource(manifest, source), {
    ...call,
    folder: option("to") ?? `${source}.plan`,
    name: option("name"),
    ...(flag("encrypt") ? { encrypted: true } : {}),
    ...(flag("oneKeyPerBatch") ? { oneKeyPerBatch: true } : {}),
    onSkipped: ({ path, code }) => {
      output.item({ path, code }, { text: () => `left out (${code})  ${clean(path)}`, quiet: "" });
    },
    ...(network === undefined ? {} : { network }),
    ...(token === undefined ? {} : { token }),
  });
  const { id, folder, files, bytes, batches } = plan;
  const { keyNodeRequests, derivationMs, price } = cost;
  const facts: [string, string][] = [
    ["Plan", folder],
    ["Files", String(files)],
    ["Size", formatBytes(bytes)],
    ["Batches", String(batches)],
    ...(plan.encrypted
      ? ([
          ["Requests to key nodes", String(keyNodeRequests)],
          ["Deriving keys here", formatDuration(derivationMs / 1_000)],
        ] as [string, string][])
      : []),
    ["Price", `${formatAmount(price.amount, price.decimals)} ${price.token} (${price.usd} US dollars)`],
  ];
  if (plan.skipped) output.warn(`${plan.skipped.count} files and folders could not be read, and are not in the plan`);
  output.result(
    { id, folder, files, bytes, batches, keyNodeRequests, derivationMs, price },
    { text: () => formatFacts(facts), quiet: folder },
  );
}
