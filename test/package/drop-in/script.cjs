// @ts-nocheck
// As script.mjs, as CommonJS: the calls by destructuring, by the default export, and by an import in the same process.
const { uploadText } = require("@lighthouse-web3/sdk");
const lighthouse = require("@lighthouse-web3/sdk").default;
const { lighthouseConfig } = require("@lighthouse-web3/sdk/dist/lighthouse.config");
const kavach = require("@lighthouse-web3/kavach");
require("@lighthouse-web3/sdk/dist/types");

async function main() {
  const [, , url, apiKey, path] = process.argv;
  for (const name of ["lighthouseAPI", "lighthouseNode", "lighthouseGateway"]) lighthouseConfig[name] = url;
  const uploaded = await lighthouse.upload(path, apiKey);
  const text = await uploadText("from CommonJS", apiKey, "cjs.txt");
  const imported = await import("@lighthouse-web3/sdk");
  const again = await imported.default.getFileInfo(text.data.Hash);
  const { keyShards } = await kavach.generate(3, 5);
  lighthouse.getBalance = async () => "replaced";
  console.log(
    JSON.stringify({ uploaded, text, again, shards: keyShards.length, replaced: await lighthouse.getBalance() }),
  );
}

void main();
