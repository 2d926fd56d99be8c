/**
 * Waits for the storage proof of a file, and verifies its paths on this machine:
 * `npx tsx examples/proof.ts [cid]`
 *
 * On the public network a deal takes a day or so: pass the CID of a file that is old enough.
 */
import { setTimeout } from "node:timers/promises";
import { verifyProof } from "@keeplight/proof";
import { createKit } from "keeplight";
import { getFailureCode } from "./support/failure.ts";
import { openNetwork } from "./support/network.ts";
import { check, finish, print, step } from "./support/story.ts";

const network = await openNetwork({ devnet: { proofDelayMs: 500 } });
const kit = createKit(network.options);

try {
  step("A file");
  const cid = process.argv[2] ?? (await kit.uploadText(`Prove that I am stored. ${Date.now()}`))[0].Hash;
  print(cid);

  step("Its proof");
  let failure = await getFailureCode(() => kit.getProof(cid));
  for (let attempt = 0; attempt < 40 && failure === "PROOF_NOT_READY"; attempt++) {
    await setTimeout(250);
    failure = await getFailureCode(() => kit.getProof(cid));
  }
  check("the file has a proof (if not yet, try again later with its CID)", failure === undefined);
  const proof = await kit.getProof(cid);
  for (const { dealId, dealStatus } of await kit.getDealStatus(cid)) print(`deal ${dealId}: ${dealStatus}`);

  step("Verify its paths");
  const { pieceCid, deals } = await verifyProof(proof);
  print(`the piece ${pieceCid}, which is the file by the network's word,`);
  for (const { dealId, offset, aggregateCid } of deals)
    print(`is at byte ${offset} of ${aggregateCid}, deal ${dealId}`);
  check("the proof holds", deals.length > 0);

  step("Verify a forged one");
  const forged = structuredClone(proof);
  const [hash] = forged.dealInfo[0]?.proof.inclusionProof.proofSubtree.path ?? [];
  const first = hash?.startsWith("0") ? "1" : "0";
  forged.dealInfo[0]?.proof.inclusionProof.proofSubtree.path.splice(0, 1, `${first}${hash?.slice(1)}`);
  check("one changed digit is detected", (await getFailureCode(() => verifyProof(forged))) === "PROOF_INVALID");
} finally {
  await network.close();
}
finish();
