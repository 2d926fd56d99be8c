// @ts-nocheck
// Run by Jest, which loads CommonJS without Node's own `require`.
const sdk = require("@lighthouse-web3/sdk");
const { lighthouseConfig } = require("@lighthouse-web3/sdk/dist/lighthouse.config");
const kavach = require("@lighthouse-web3/kavach");
const kavachConfig = require("@lighthouse-web3/kavach/dist/config").default;
const { decryptBytes, encryptBytes, isKeeplightError } = require("keeplight");

// Against hanging for ever, not for speed.
jest.setTimeout(60_000);

const lighthouse = sdk.default;
const url = process.env.DROP_IN_URL;

test("calls are made", async () => {
  for (const name of ["lighthouseAPI", "lighthouseNode", "lighthouseGateway"]) lighthouseConfig[name] = url;
  const { data } = await lighthouse.uploadText("from Jest", process.env.DROP_IN_API_KEY, "jest.txt");
  expect((await sdk.getFileInfo(data.Hash)).data.fileName).toBe("jest.txt");
  const { masterKey, keyShards } = await kavach.generate(3, 5);
  expect((await kavach.recoverKey(keyShards.slice(2))).masterKey).toBe(masterKey);
});

test("settings of one copy are those of the other", async () => {
  kavachConfig.lighthouseAuthNode = `${url}/nowhere`;
  kavachConfig.retryMs = 0;
  await expect(lighthouse.getAuthMessage(`0x${"a".repeat(40)}`)).rejects.toBeDefined();
});

test("calls can be replaced", async () => {
  for (const calls of [sdk, lighthouse]) {
    const replaced = jest.spyOn(calls, "upload").mockResolvedValue({ data: { Hash: "replaced" } });
    expect((await calls.upload("file")).data.Hash).toBe("replaced");
    expect(replaced).toHaveBeenCalledTimes(1);
  }
});

test("the kit works without its drop-ins", async () => {
  const key = "0".repeat(64);
  const encrypted = await encryptBytes(new Uint8Array([1, 2, 3]), key);
  expect([...(await decryptBytes(encrypted, key))]).toEqual([1, 2, 3]);
  const failed = await decryptBytes(encrypted, "1".repeat(64)).catch((error) => error);
  expect(isKeeplightError(failed, "CANNOT_DECRYPT")).toBe(true);
});
