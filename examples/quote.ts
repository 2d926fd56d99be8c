/**
 * What it would take to store a folder, before anything is sent; on the devnet it is paid for as well:
 * `npx tsx --conditions=keeplight-source examples/quote.ts [path]`
 */
import { createKit } from "keeplight";
import { openNetwork } from "./support/network.ts";
import { check, finish, say, step } from "./support/story.ts";

const path = process.argv[2] ?? new URL("./web/public", import.meta.url);
// A devnet on which an account may store nothing but what it has paid for, with an EVM node to pay on.
const network = await openNetwork({ devnet: { chain: true, dataLimit: 0 } });
const kit = createKit(network.options);

try {
  step("What it would take");
  const { metaData, totalSize, usage } = await kit.getQuote(path);
  for (const { fileName, fileSize, mimeType } of metaData) say(`${fileName}: ${fileSize} bytes of ${mimeType}`);
  const sum = metaData.reduce((bytes, { fileSize }) => bytes + fileSize, 0);
  check(`all files together are ${totalSize} bytes`, totalSize === sum && totalSize > 0);
  say(`${usage?.dataLeft} bytes would be left`);

  step("What that costs");
  const chain = network.devnet?.chain?.network ?? "polygon";
  const { amount, decimals, usd } = await kit.getPrice(path, { network: chain, token: "usdc" });
  say(`${usd} US dollars, that is ${amount} of the smallest unit of USDC, which has ${decimals} decimals`);
  check("it costs something", amount > 0n);

  if (network.devnet) {
    step("Paid");
    const { privateKey } = network.signer;
    const payment = await kit.payWithToken({ network: chain, token: "usdc", amount, privateKey, pollMs: 50 });
    for (const { step: what, hash } of payment.transactions) say(`${what}: ${hash}`);
    const after = await kit.getQuote(path);
    say(`${after.usage?.dataLeft} bytes would be left now`);
    check("it fits now", (usage?.dataLeft ?? 0) < 0 && (after.usage?.dataLeft ?? -1) >= 0);
  }
} finally {
  await network.close();
}
finish();
