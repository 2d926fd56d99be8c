/**
 * Uploads a folder, reads a file of it through the gateway, and finds it in the list of one's files:
 * `npx tsx examples/folder.ts`
 */
import { createKit } from "keeplight";
import { openNetwork } from "./support/network.ts";
import { check, finish, say, step } from "./support/story.ts";
import { tempFolder } from "./support/temp-folder.ts";

const page = `<!doctype html><title>Hello</title><img src="img/dot.svg" alt="a dot">${Date.now()}`;
const site = await tempFolder({
  "index.html": page,
  "img/dot.svg": '<svg xmlns="http://www.w3.org/2000/svg"><circle r="9"/></svg>',
});
const network = await openNetwork();
const kit = createKit(network.options);

try {
  step("What it would take");
  const quote = await kit.getQuote(site.path);
  for (const { fileName, fileSize, mimeType } of quote.metaData) say(`${fileName}: ${fileSize} bytes of ${mimeType}`);

  step("Upload");
  const [root] = await kit.upload(site.path, { verifyCid: true });
  say(`the folder is ${root.Hash}`);

  step("Read a file of it");
  const url = `${network.endpoints.gateway}/ipfs/${root.Hash}/index.html`;
  say(url);
  const response = await fetch(url);
  check("the gateway gives the page back", (await response.text()) === page);

  step("Find it in the list of files");
  // The list comes in pages, each fetched when it is needed; leaving the loop ends that.
  let found = false;
  for await (const file of kit.iterateFiles()) {
    found = file.cid === root.Hash;
    if (found) break;
  }
  check("the folder is among the account's files", found);
} finally {
  await network.close();
  await site.remove();
}
finish();
