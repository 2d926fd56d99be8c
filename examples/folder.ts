/**
 * Uploads a folder, reads one of its files through the gateway, and finds the folder in the list of files:
 * `npx tsx examples/folder.ts`
 */
import { createKit } from "keeplight";
import { openNetwork } from "./support/network.ts";
import { check, finish, print, step } from "./support/story.ts";
import { createTempFolder } from "./support/temp-folder.ts";

const page = `<!doctype html><title>Hello</title><img src="img/dot.svg" alt="a dot">${Date.now()}`;
const site = await createTempFolder({
  "index.html": page,
  "img/dot.svg": '<svg xmlns="http://www.w3.org/2000/svg"><circle r="9"/></svg>',
});
const network = await openNetwork();
const kit = createKit(network.options);

try {
  step("Quote");
  const quote = await kit.getQuote(site.path);
  for (const { fileName, fileSize, mimeType } of quote.metaData) print(`${fileName}: ${fileSize} bytes of ${mimeType}`);

  step("Upload");
  const [root] = await kit.upload(site.path, { verifyCid: true });
  print(`the folder is ${root.Hash}`);

  step("Read one of its files");
  const url = `${network.endpoints.gateway}/ipfs/${root.Hash}/index.html`;
  print(url);
  const response = await fetch(url);
  check("the gateway returns the page", (await response.text()) === page);

  step("Find it in the list of files");
  // The list is paginated: each page is fetched when it is needed, and none after the loop.
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
