import { expect, test } from "vitest";
import { rewriteFile } from "../src/rewrite-file.ts";
import { quickStarts } from "./quick-starts.ts";

const results = quickStarts.map((each) => ({ ...each, result: rewriteFile(each.text, each.file) }));

test.each(results)("$file: every call is the kit's but those that are named", ({ file, left, result }) => {
  expect(result.left.map(({ reason }) => reason)).toEqual(left.map((reason) => expect.stringContaining(reason)));
  if (left.length === 0) expect(result.text).not.toMatch(/@lighthouse-web3|@keeplight\//);
  expect(rewriteFile(result.text, file).text).toBe(result.text);
});

test("43 of the 45 calls of the quick-starts are rewritten", () => {
  const sum = (numbers: number[]) => numbers.reduce((total, each) => total + each, 0);
  expect(sum(results.map(({ result }) => result.migrated))).toBe(43);
  expect(sum(results.map(({ result }) => result.left.length))).toBe(2);
});

test("what is printed as a whole, chained or taken out of the package is rewritten as one would write it", () => {
  const textOf = (name: string) => results.find(({ file }) => file === name)?.result.text;
  expect(textOf("upload.mjs")).toContain("const [uploadResponse] = await upload('/home/user/photo.jpg', { apiKey })");
  expect(textOf("chain.cjs")).toBe(`const { getBalance, upload, uploadText } = require('keeplight')

upload(__dirname + '/a.txt', { apiKey: process.env.KEY })
  .then(([response]) => console.log(response))
  .catch((error) => console.error(error))
getBalance({ apiKey: process.env.KEY }).then(console.log)
uploadText('Hello', { apiKey: process.env.KEY, name: 'a' }).then(([stored]) => console.log(stored)).catch(console.error)
`);
  expect(textOf("decrypt-page.jsx")).toContain(`    const { publicKey, signedMessage } = await sign()
    const fileType = 'image/jpeg'
    const decrypted = new Blob([await keeplightDecrypt(cid, { address: publicKey, authToken: signedMessage })], { type: fileType })
`);
});
