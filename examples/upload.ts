/**
 * Uploads a file without encrypting it, reads its metadata, and downloads it:
 * `npx tsx examples/upload.ts [path]`
 */
import { createKit } from "keeplight";
import { openNetwork } from "./support/network.ts";
import { createProgressBar } from "./support/progress-bar.ts";
import { check, finish, print, step } from "./support/story.ts";

const path = process.argv[2] ?? new URL("../README.md", import.meta.url);
const network = await openNetwork();
const kit = createKit(network.options);

try {
  step("Upload");
  const bar = createProgressBar("sent");
  // verifyCid: also compute the CID here, and reject a different one from the upload node.
  const [file] = await kit.upload(path, { verifyCid: true, onProgress: bar.update });
  bar.stop();
  print(`${file.Name}, ${file.Size} bytes, is ${file.Hash}`);
  print(`public at ${network.endpoints.gateway}/ipfs/${file.Hash}`);

  step("Metadata");
  const info = await kit.getFileInfo(file.Hash);
  print(`${info.fileName}, ${info.mimeType ?? "unknown type"}, ${info.encryption ? "encrypted" : "not encrypted"}`);
  const { dataLimit, dataUsed } = await kit.getBalance();
  print(`the account has used ${dataUsed} of ${dataLimit} bytes`);

  step("Download");
  const bytes = await kit.download(file.Hash, { verifyCid: true });
  check("the bytes match their CID and the size in the metadata", String(bytes.length) === info.fileSizeInBytes);
} finally {
  await network.close();
}
finish();
