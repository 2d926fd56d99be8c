/**
 * Uploads a file as it is, sees what the network knows of it, and downloads it again:
 * `npx tsx examples/upload.ts [path]`
 */
import { createKit } from "keeplight";
import { openNetwork } from "./support/network.ts";
import { progressBar } from "./support/progress-bar.ts";
import { check, finish, say, step } from "./support/story.ts";

const path = process.argv[2] ?? new URL("../README.md", import.meta.url);
const network = await openNetwork();
const kit = createKit(network.options);

try {
  step("Upload");
  const bar = progressBar("sent");
  // verifyCid: compute the content id here as well, and refuse an upload node that says otherwise.
  const [file] = await kit.upload(path, { verifyCid: true, onProgress: bar.update });
  bar.stop();
  say(`${file.Name}, ${file.Size} bytes, is ${file.Hash}`);
  say(`for everyone at ${network.endpoints.gateway}/ipfs/${file.Hash}`);

  step("What the network knows of it");
  const info = await kit.getFileInfo(file.Hash);
  say(`${info.fileName}, ${info.mimeType ?? "of no known type"}, ${info.encryption ? "encrypted" : "not encrypted"}`);
  const { dataLimit, dataUsed } = await kit.getBalance();
  say(`the account has used ${dataUsed} of ${dataLimit} bytes`);

  step("Download");
  const bytes = await kit.download(file.Hash, { verifyCid: true });
  check(
    "the bytes are what their content id says, and as many as the network knows of",
    String(bytes.length) === info.fileSizeInBytes,
  );
} finally {
  await network.close();
}
finish();
