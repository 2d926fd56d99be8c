/**
 * Quotes a folder before anything is sent; on the devnet, pays for it and uploads it as well:
 * `npx tsx examples/quote.ts [path]`
 */
import { createKit } from "keeplight";
import { openNetwork } from "./support/network.ts";
import { check, finish, print, step } from "./support/story.ts";

const path = process.argv[2] ?? new URL("./support", import.meta.url);
// A devnet where accounts can store only what they have paid for, with an EVM node to pay on.
const network = await openNetwork({ devnet: { chain: true, dataLimit: 0 } });
const kit = createKit(network.options);

try {
  step("Size and price");
  const chain = network.devnet?.chain?.network ?? "polygon";
  const { metaData, totalSize, usage, price } = await kit.getQuote(path, { network: chain, token: "usdc" });
  for (const { fileName, fileSize, mimeType } of metaData) print(`${fileName}: ${fileSize} bytes of ${mimeType}`);
  const sum = metaData.reduce((bytes, { fileSize }) => bytes + fileSize, 0);
  check(`all files together are ${totalSize} bytes`, totalSize === sum && totalSize > 0);
  print(`${usage?.dataLeft} bytes would be left`);

  if (!price) throw new Error("a quote for a network has a price");
  const { amount, decimals, usd } = price;
  print(`${usd} US dollars: ${amount} base units of USDC, which has ${decimals} decimals`);
  check("it costs something", amount > 0n);

  if (network.devnet) {
    step("Pay");
    const { privateKey } = network.signer;
    const order = { network: chain, token: "usdc", size: totalSize, maxAmount: amount } as const;
    const payment = await kit.payWithToken({ ...order, privateKey, pollMs: 50 });
    for (const { step: name, hash } of payment.transactions) print(`${name}: ${hash}`);
    check("the contract received what was quoted", payment.event?.amount === amount);
    const after = await kit.getQuote(path);
    print(`${after.usage?.dataLeft} bytes would be left now`);
    check("it fits now", (usage?.dataLeft ?? 0) < 0 && (after.usage?.dataLeft ?? -1) >= 0);

    step("Upload");
    const [root] = await kit.upload(path);
    print(`${root.Name} is ${root.Hash}`);
    const { dataUsed } = await kit.getBalance();
    check("it counts as used", dataUsed >= totalSize);
  }
} finally {
  await network.close();
}
finish();
