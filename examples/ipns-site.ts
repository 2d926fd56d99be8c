/**
 * Publishes a page under a name that stays the same when the page changes:
 * `npx tsx examples/ipns-site.ts`
 */
import { createKit } from "keeplight";
import { openNetwork } from "./support/network.ts";
import { check, finish, say, step } from "./support/story.ts";

const network = await openNetwork();
const kit = createKit(network.options);

try {
  step("A name");
  const { ipnsName, ipnsId } = await kit.ipnsGenerateKey();
  const url = `${network.endpoints.gateway}/ipns/${ipnsId}`;
  say(`the account calls it ${ipnsName}`);
  say(`everybody reads it at ${url}`);

  for (const page of ["<h1>First edition</h1>", "<h1>Second edition</h1>"]) {
    step(page);
    const [file] = await kit.uploadText(page, { name: "index.html" });
    await kit.ipnsPublishRecord({ cid: file.Hash, keyName: ipnsName });
    const record = (await kit.ipnsListRecords()).find((known) => known.ipnsName === ipnsName);
    check(`the name stands for ${file.Hash}`, record?.cid === file.Hash);
    // The public gateway takes its time to forget the page before.
    if (network.devnet) check("the gateway shows the page", (await (await fetch(url)).text()) === page);
  }

  step("The name is given up");
  await kit.ipnsRemoveKey(ipnsName);
  const left = await kit.ipnsListRecords();
  check("it is in the list no more", !left.some((known) => known.ipnsName === ipnsName));
} finally {
  await network.close();
}
finish();
