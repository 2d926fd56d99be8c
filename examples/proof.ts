/**
 * Waits for the proof that a file is in a storage deal, and verifies it on this machine:
 * `npx tsx examples/proof.ts [cid]`
 *
 * On the public network a deal takes a day or so: give the content id of a file that is old enough.
 */
import { setTimeout } from "node:timers/promises";
import { createKit, verifyProof } from "keeplight";
import { failureOf } from "./support/failure.ts";
import { openNetwork } from "./support/network.ts";
import { check, finish, say, step } from "./support/story.ts";

const network = await openNetwork({ devnet: { proofDelayMs: 500 } });
const kit = createKit(network.options);

try {
  step("A file");
  const cid = process.argv[2] ?? (await kit.uploadText(`Prove that I am kept. ${Date.now()}`))[0].Hash;
  say(cid);

  step("Its proof");
  let failure = await failureOf(() => kit.getProof(cid));
  for (let tries = 0; tries < 40 && failure === "PROOF_NOT_READY"; tries++) {
    await setTimeout(250);
    failure = await failureOf(() => kit.getProof(cid));
  }
  check("there is one; without, come back later with the content id", failure === undefined);
  const proof = await kit.getProof(cid);
  for (const { dealId, dealStatus } of await kit.getDealStatus(cid)) say(`deal ${dealId}: ${dealStatus}`);

  step("Verified here, without trusting anyone");
  const { pieceCid, deals } = await verifyProof(proof);
  say(`the piece ${pieceCid}`);
  for (const { dealId, offset, aggregateCid } of deals) say(`is at byte ${offset} of ${aggregateCid}, deal ${dealId}`);
  check("the proof holds", deals.length > 0);

  step("And a forged one?");
  const forged = structuredClone(proof);
  const [hash] = forged.dealInfo[0]?.proof.inclusionProof.proofSubtree.path ?? [];
  const first = hash?.startsWith("0") ? "1" : "0";
  forged.dealInfo[0]?.proof.inclusionProof.proofSubtree.path.splice(0, 1, `${first}${hash?.slice(1)}`);
  check("one changed digit is found out", (await failureOf(() => verifyProof(forged))) === "PROOF_INVALID");
} finally {
  await network.close();
}
finish();
