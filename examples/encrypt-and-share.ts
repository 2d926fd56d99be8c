/**
 * Encrypts a string on this machine, uploads it, shares it with another account, and revokes that:
 * `npx tsx examples/encrypt-and-share.ts`
 */
import { Wallet } from "ethers";
import { createKit } from "keeplight";
import { getFailureCode } from "./support/failure.ts";
import { openNetwork } from "./support/network.ts";
import { check, finish, print, step } from "./support/story.ts";

const secret = "The key is under the third flower pot.";
const network = await openNetwork({ signer: true });
const alice = createKit({ ...network.options, signer: network.signer });
const bobsWallet = Wallet.createRandom();
const bob = createKit({ ...network.options, signer: bobsWallet });

try {
  step("Encrypt and upload");
  const [file] = await alice.uploadTextEncrypted(secret, { name: "note.txt" });
  print(`${file.Name} is ${file.Hash}`);
  const stored = await alice.download(file.Hash);
  check("what is stored is not the plaintext", !new TextDecoder().decode(stored).includes("flower"));
  check("Bob is refused", (await getFailureCode(() => bob.decrypt(file.Hash))) !== undefined);

  step("Share");
  await alice.kavachShare(file.Hash, { shareTo: bobsWallet.address });
  const text = new TextDecoder().decode(await bob.decrypt(file.Hash));
  print(`Bob reads: ${text}`);
  check("Bob reads what Alice wrote", text === secret);

  step("Inspect the key");
  const health = await alice.kavachInspect(file.Hash);
  for (const { node, state } of health.nodes) print(`node ${node}: ${state}`);
  print(`shared to ${health.access?.sharedTo.join(", ")}`);
  check("all five nodes hold a shard, and all shards belong together", health.healthy);

  step("Revoke");
  await alice.kavachRevoke(file.Hash, { revokeTo: bobsWallet.address });
  check("Bob is refused again", (await getFailureCode(() => bob.decrypt(file.Hash))) !== undefined);
} finally {
  await network.close();
}
finish();
