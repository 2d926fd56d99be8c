// @ts-nocheck
// A program for the incumbent, which also runs unchanged on the packages that stand in for it.
import kavach, { generate, recoverKey } from "@lighthouse-web3/kavach";
import kavachConfig from "@lighthouse-web3/kavach/dist/config/index.js";
import lighthouse, { getFileInfo, uploadText } from "@lighthouse-web3/sdk";
import { lighthouseConfig } from "@lighthouse-web3/sdk/dist/lighthouse.config.js";

const [, , url, apiKey, path] = process.argv;
for (const name of ["lighthouseAPI", "lighthouseNode", "lighthouseGateway", "lighthouseBLSNode"]) {
  lighthouseConfig[name] = url;
}
kavachConfig.default.lighthouseAuthNode = url;

const uploaded = await lighthouse.upload(path, apiKey);
const { data: text } = await uploadText("from ESM", apiKey, "esm.txt");
const info = await getFileInfo(text.Hash);
const { masterKey, keyShards } = await generate();
const recovered = await recoverKey(keyShards.slice(0, 3));
const rejected = await lighthouse.getBalance("wrong").catch((error) => error.message);
console.log(
  JSON.stringify({
    uploaded,
    text,
    info,
    recovered: recovered.masterKey === masterKey,
    rejected,
    calls: typeof kavach.saveShards,
  }),
);
