/**
 * Publishes a page under a name that stays the same when the page changes:
 * `npx tsx examples/ipns-site.ts`
 */
import { createKit } from "keeplight";
import { openNetwork } from "./support/network.ts";
import { check, finish, print, step } from "./support/story.ts";

const network = await openNetwork();
const kit = createKit(network.options);

try {
  step("A name");
  const { ipnsName, ipnsId } = await kit.ipnsGenerateKey();
  const url = `${network.endpoints.gateway}/ipns/${ipnsId}`;
  print(`its key is ${ipnsName}`);
  print(`it is public at ${url}`);

  for (const page of ["<h1>First edition</h1>", "<h1>Second edition</h1>"]) {
    step(page);
    const [file] = await kit.uploadText(page, { name: "index.html" });
    await kit.ipnsPublishRecord({ cid: file.Hash, keyName: ipnsName });
    const record = (await kit.ipnsListRecords()).find((each) => each.ipnsName === ipnsName);
    check(`the name points to ${file.Hash}`, record?.cid === file.Hash);
    // The public gateway caches the previous page for a while.
    if (network.devnet) check("the gateway serves the page", (await (await fetch(url)).text()) === page);
  }

  step("Remove the name");
  await kit.ipnsRemoveKey(ipnsName);
  const remaining = await kit.ipnsListRecords();
  check("it is no longer in the list", !remaining.some((each) => each.ipnsName === ipnsName));
} finally {
  await network.close();
}
finish();
