// Programs in the style of the incumbent's documentation, as ES modules without types: they compile as TypeScript, too.
// Each prints what it did, which is the same before and after it is migrated.

const setup = `
import { writeFileSync, readFileSync } from "node:fs";
import { Wallet } from "ethers";
import * as dotenv from "./environment.mjs";

const apiKey = dotenv.apiKey;
const signer = new Wallet(dotenv.privateKey);
const publicKey = dotenv.address;
`;

/** Programs by name, with how many places each leaves. */
export const programs: Record<string, { text: string; left: number }> = {
  uploads: {
    left: 0,
    text: `import lighthouse from "@lighthouse-web3/sdk";${setup}
writeFileSync("photo.txt", "a photo");

// Upload with progress
const reported = [];
const progressCallback = (progressData) => {
  reported.push(progressData.progress);
};
const uploadResponse = await lighthouse.upload("photo.txt", apiKey, 1, progressCallback);
console.log("The Hash is", uploadResponse.data.Hash, uploadResponse.data.Name);
console.log(reported.at(-1) === 100);

const { data: folder } = await lighthouse.upload("folder", apiKey, { cidVersion: 0, onProgress: progressCallback });
console.log(folder.Hash);

/* Text */
const text = "Hello";
const name = "hello.txt";
const response = await lighthouse.uploadText(text, apiKey, name);
console.log(response.data.Hash, response.data.Name);
console.log((await lighthouse.uploadText(text, apiKey)).data.Name);

const buffer = readFileSync("photo.txt");
const { data: { Hash } } = await lighthouse.uploadBuffer(buffer, apiKey);
console.log(Hash);

const archive = await lighthouse.uploadCAR("archive.car", apiKey);
console.log(archive.data.Hash);

async function describe(cid) {
  const info = await lighthouse.getFileInfo(cid);
  console.log(\`\${info.data.fileName} has \${info.data.fileSizeInBytes} bytes\`);
  const status = await lighthouse.dealStatus(cid);
  console.log(status.data.length);
}
await describe(uploadResponse.data.Hash);

const quote = await lighthouse.getQuote("photo.txt", apiKey);
console.log(quote.data.totalSize);
const balance = await lighthouse.getBalance(apiKey);
console.log(balance.data.dataLimit >= balance.data.dataUsed);

let uploads = await lighthouse.getUploads(apiKey, null);
console.log(uploads.data.fileList[0].cid);
const removed = await lighthouse.deleteFile(apiKey, uploads.data.fileList[0].id);
console.log(typeof removed.data.message);

await lighthouse.getFileInfo("no cid").then(() => console.log("found")).catch((error) => console.log(error instanceof Error));
`,
  },
  encrypted: {
    left: 0,
    text: `import lighthouse, { shareFile as share } from '@lighthouse-web3/sdk'
import * as kavach from '@lighthouse-web3/kavach'${setup}
writeFileSync('secret.txt', 'a secret')

async function signAuthMessage() {
  const { message } = await kavach.getAuthMessage(publicKey)
  const { JWT, error } = await kavach.getJWT(publicKey, await signer.signMessage(message))
  if (error) {
    throw new Error(error)
  }
  return JWT
}
const jwt = await signAuthMessage()

const response = await lighthouse.uploadEncrypted(
  'secret.txt',
  apiKey,
  publicKey,
  jwt,
)
const cid = response.data[0].Hash
console.log(response.data[0].Name, response.data.length)

const textResponse = await lighthouse.textUploadEncrypted('a letter', apiKey, publicKey, jwt)
console.log(textResponse.data[0].Name)

const friend = dotenv.friend
await share(publicKey, [friend], cid, jwt)
const access = await lighthouse.getAccessConditions(cid)
console.log(access.data.sharedTo.length)
await lighthouse.revokeFileAccess(publicKey, [friend], cid, jwt)
console.log((await lighthouse.getAccessConditions(cid)).data.sharedTo.length)

await lighthouse.applyAccessCondition(publicKey, cid, jwt, [
  {
    id: 1,
    chain: 'Polygon',
    standardContractType: '',
    method: 'getBlockNumber',
    parameters: [],
    returnValueTest: { comparator: '>=', value: '1' },
  },
], undefined, 'EVM')
console.log((await lighthouse.getAccessConditions(cid)).data.conditions.length)

// Get file encryption key
const keyObject = await lighthouse.fetchEncryptionKey(cid, publicKey, jwt)
// Decrypt file
const decrypted = await lighthouse.decryptFile(cid, keyObject.data.key, 'text/plain')
console.log(Buffer.from(decrypted).toString())
`,
  },
  accounts: {
    left: 0,
    text: `import { createWallet, getApiKey, getAuthMessage, getBalance } from "@lighthouse-web3/sdk";${setup}
const wallet = await createWallet("a password");
console.log(JSON.parse(wallet.data.encryptedWallet).version);

const { data } = await getAuthMessage(publicKey);
console.log(typeof data.message);

const verification = await (await fetch(dotenv.messageUrl)).json();
const created = await getApiKey(publicKey, await signer.signMessage(verification));
const { data: { dataUsed } } = await getBalance(created.data.apiKey);
console.log(typeof dataUsed);
`,
  },
  names: {
    left: 0,
    text: `import * as lighthouse from "@lighthouse-web3/sdk";${setup}
const key = await lighthouse.generateKey(apiKey);
const { data: file } = await lighthouse.uploadText("published", apiKey, "page.txt");
const published = await lighthouse.publishRecord(file.Hash, key.data.ipnsName, apiKey);
console.log(published.data.Value, published.data.Name === key.data.ipnsId);
const allKeys = await lighthouse.getAllKeys(apiKey);
console.log(allKeys.data.length);
const removed = await lighthouse.removeKey(key.data.ipnsName, apiKey);
console.log(removed.data.Keys.length);
`,
  },
  shards: {
    left: 0,
    text: `import kavach, { recoverKey, shardKey } from "@lighthouse-web3/kavach";
import lighthouse from "@lighthouse-web3/sdk";${setup}
const { message, error: messageError } = await kavach.getAuthMessage(publicKey);
if (messageError) throw messageError;
const signature = await signer.signMessage(message);
const { JWT: jwt, refreshToken } = await kavach.getJWT(publicKey, signature);
const renewed = await kavach.getJWT(publicKey, refreshToken, true);
console.log(String(renewed.JWT).startsWith("jwt:"));

const { masterKey, keyShards } = await kavach.generate(3, 5);
const again = await recoverKey(keyShards.slice(0, 3));
console.log(again.masterKey === masterKey);
const { keyShards: others } = await shardKey(masterKey, 3, 5);
console.log(others.length);

const { data: file } = await lighthouse.uploadText(dotenv.unique, apiKey, "unique.txt");
const cid = file.Hash;
const { error } = await kavach.saveShards(publicKey, cid, jwt, keyShards);
if (error !== null) throw error;
const shared = await kavach.generate();
console.log(shared.keyShards.length);
const { isSuccess } = await kavach.shareToAddress(publicKey, cid, jwt, [dotenv.friend]);
if (!isSuccess) {
  throw new Error("not shared");
}
const { isSuccess: isRevoked, error: revokeError } = await kavach.revokeAccess(publicKey, cid, jwt, [dotenv.friend]);
if (revokeError || !isRevoked) throw new Error("not revoked");
const { error: conditionError } = await kavach.accessControl(publicKey, cid, jwt, [
  {
    id: 1,
    chain: "Polygon",
    standardContractType: "",
    method: "getBlockNumber",
    parameters: [],
    returnValueTest: { comparator: ">=", value: "1" },
  },
]);
if (conditionError) throw conditionError;
const { data: conditions } = await kavach.getAccessCondition(cid);
console.log(conditions.owner === publicKey.toLowerCase(), (conditions.conditions ?? []).length);
const { shards } = await kavach.recoverShards(publicKey, cid, jwt, 3);
const { masterKey: recovered } = await recoverKey(shards);
console.log(recovered === masterKey);
const { error: transferError } = await kavach.transferOwnership(publicKey, cid, dotenv.friend, jwt);
if (transferError) throw transferError;
const { data: after } = await kavach.getAccessCondition(cid);
console.log(after.owner === dotenv.friend.toLowerCase());
`,
  },
  kept: {
    left: 8,
    text: `import lighthouse from "@lighthouse-web3/sdk";
import * as kavach from "@lighthouse-web3/kavach";${setup}
const upload = (text) => lighthouse.uploadText(text, apiKey, "kept.txt");
const response = await upload("kept");
console.log(JSON.stringify(response));

const { isSuccess, error } = await kavach.shareToAddress(publicKey, response.data.Hash, "jwt:wrong", [dotenv.friend]);
console.log(isSuccess, error === null);

try {
  await lighthouse.getBalance("wrong");
} catch (failure) {
  console.log(failure.message.includes("status code") ? "refused" : "unknown");
}
const info = await lighthouse.getFileInfo(response.data.Hash);
const { data, ...rest } = info;
console.log(data.fileName, Object.keys(rest).length);
const calls = [lighthouse.getUploads, lighthouse.dealStatus];
console.log(calls.length);
if (dotenv.never) {
  await lighthouse.walrusBlobs("cid");
  await lighthouse.deleteFileWalrus(apiKey, "id");
}
`,
  },
};

/** The same program as CommonJS. */
export function toCommonJs(text: string): string {
  const required = text.replace(/^import (.*) from (['"][^'"]*['"]);?$/gm, (_, names: string, from: string) => {
    const [first = "", ...others] = names.split(/, (?=\{)/);
    const list = [first.replace(/^\* as /, ""), ...others].map((each) => each.replace(/ as /g, ": "));
    return list.map((each) => `const ${each} = require(${from});`).join("\n");
  });
  const start = required.lastIndexOf("= require(");
  const bodyAt = required.indexOf("\n", start) + 1;
  return `${required.slice(0, bodyAt)}(async () => {\n${required.slice(bodyAt)}})();\n`;
}
