import { Mnemonic, randomBytes, Wallet } from "ethers";
import { expect, test } from "vitest";
import { account, add, getApiKey, send } from "../../../test/support/devnet-wire.ts";
import { type DevnetOptions, startDevnet } from "../src/index.ts";

async function listAccounts(options: DevnetOptions) {
  const devnet = await startDevnet(options);
  await devnet.close();
  return devnet.accounts;
}

/** The first accounts of the public mnemonic, as the documentation of other networks for tests lists them. */
const known = [
  ["0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266", "0xac0974bec39a17e36ba4a6b4d238ff944bacb478cbed5efcae784d7bf4f2ff80"],
  ["0x70997970c51812dc3a010c7d01b50e0d17dc79c8", "0x59c6995e998f97a5a0044966f0945389dc9e86dae88c7a8412f4603b6b78690d"],
];

/** The API keys that the documentation lists. */
const apiKeys = [
  "5df4d26c.ebca5551dce800b30fe87c5c0b25f9d3",
  "ad0f6d53.5e06aca9ea0091b162cd8c40409b2df9",
  "c2f2c4cf.ed3f8bd8be5ea74f7605ed4065f1e475",
  "85f34934.756a533bbfafa7669a988ac084bdf23b",
  "df796923.9750893a1dd5d55e0bb3857e36f2e1d3",
];

test("accounts are random by default, and have no API key in advance", async () => {
  const [one, two] = [await listAccounts({}), await listAccounts({ accounts: "random" })];
  expect(one).toHaveLength(5);
  expect(new Set([...one, ...two].map(({ address }) => address)).size).toBe(10);
  for (const each of one) {
    expect(Object.keys(each)).toEqual(["address", "privateKey"]);
    expect(new Wallet(each.privateKey).address.toLowerCase()).toBe(each.address);
  }
});

test("fixed accounts are those of the public mnemonic, with the same API keys at each start", async () => {
  const accounts = await listAccounts({ accounts: "fixed" });
  expect(accounts.slice(0, 2).map(({ address, privateKey }) => [address, privateKey])).toEqual(known);
  expect(accounts.map(({ apiKey }) => apiKey)).toEqual(apiKeys);
});

test("accounts of another mnemonic are the same at each start, and nobody else's", async () => {
  const { phrase } = Mnemonic.fromEntropy(randomBytes(16));
  const accounts = await listAccounts({ accounts: phrase });
  expect(accounts).toHaveLength(5);
  expect(await listAccounts({ accounts: phrase })).toEqual(accounts);
  const first = Wallet.fromPhrase(phrase);
  expect(accounts[0]).toMatchObject({ address: first.address.toLowerCase(), privateKey: first.privateKey });
  expect(new Set([...apiKeys, ...accounts.map(({ apiKey }) => apiKey)]).size).toBe(10);
});

test("the API key of a fixed account needs no signature, and is one of several that it may have", async () => {
  const devnet = await startDevnet({ accounts: "fixed" });
  try {
    const uploaded = await add(devnet, apiKeys[1] ?? "", { "a.txt": "a" });
    expect(uploaded.status).toBe(200);
    const list = (key: string) =>
      send("GET", `${devnet.endpoints.api}/api/user/files_uploaded?lastKey=null`, undefined, key);
    const another = await getApiKey(devnet, account(devnet, 1));
    for (const key of [apiKeys[1] ?? "", another]) {
      expect((await list(key)).body).toMatchObject({ totalFiles: 1, fileList: [{ publicKey: known[1]?.[0] }] });
    }
    expect((await list(apiKeys[0] ?? "")).body).toMatchObject({ totalFiles: 0 });
  } finally {
    await devnet.close();
  }
});

test("a mnemonic that is refused is not repeated", async () => {
  const words = "secret words that are no mnemonic";
  const refused = await startDevnet({ accounts: words }).catch((error: unknown) => error);
  expect(refused).toMatchObject({ code: "INVALID_OPTION" });
  expect(`${refused} ${JSON.stringify(refused)}`).not.toContain("secret");
});

test("fixed accounts have their funds on the chain, and none of them is the devnet's own", async () => {
  const devnet = await startDevnet({ accounts: "fixed", chain: true });
  try {
    const rpc = devnet.chain?.rpc ?? "";
    const call = async (method: string, ...params: unknown[]) =>
      (await send("POST", rpc, { jsonrpc: "2.0", id: 1, method, params })).body as { result: string };
    for (const [index, { address, balances }] of (devnet.chain?.accounts ?? []).entries()) {
      expect(devnet.chain?.accounts[index]).toEqual({ ...devnet.accounts[index], balances });
      expect(BigInt((await call("eth_getBalance", address, "latest")).result)).toBe(balances.native);
      // it has sent nothing: the contracts are another account's
      expect((await call("eth_getTransactionCount", address, "latest")).result).toBe("0x0");
    }
  } finally {
    await devnet.close();
  }
});
