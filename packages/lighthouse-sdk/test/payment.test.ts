import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { networks } from "../../../src/index.ts";
import { account, devnetForTests, getApiKey } from "../../../test/support/devnet-wire.ts";
import { defaultConfig, lighthouseConfig } from "../src/config.ts";
import { fund, getPrice, oneTimeAuth, posdi, upload, uploadText } from "../src/index.ts";
import { pointAt } from "./stage.ts";

// What version 0.4.3 had.

const devnet = devnetForTests({ chain: true, proofDelayMs: 0, unkind: true });
const polygon = { ...defaultConfig["polygon"] };

beforeAll(() => {
  pointAt(devnet().endpoints);
  const network = devnet().chain?.network;
  if (!network) throw new Error("the devnet has a chain");
  Object.assign(lighthouseConfig["polygon"], {
    rpc: network.rpc,
    chain_id: String(network.chain_id),
    lighthouse_contract_address: network.contract,
    usdc_contract_address: network.tokens.usdc?.address,
    usdc_contract_decimal: network.tokens.usdc?.decimals,
  });
});
afterAll(() => Object.assign(lighthouseConfig["polygon"], polygon));

test("the configuration lists every chain", () => {
  expect(defaultConfig).toBe(lighthouseConfig);
  for (const [name, network] of Object.entries(networks)) {
    const row = { symbol: network.symbol, lighthouse_contract_address: network.contract };
    if (name !== "polygon") expect(lighthouseConfig[name]).toMatchObject({ ...row, rpc: network.rpc });
  }
});

describe("getPrice", () => {
  test("of bytes and of a file", async () => {
    expect(await getPrice(1, "Polygon", "USDC")).toBe(3_906n);
    expect(await getPrice(100 * 1_048_576, "polygon", "usdc")).toBe(390_625n);
    expect(await getPrice(new URL(import.meta.url), "polygon", "usdc")).toBe(3_906n);
    expect(await getPrice(1, "polygon")).toBeGreaterThan(0n);
  });

  test("refuses a chain it does not know, and none", async () => {
    await expect(getPrice(1, "unknown", "usdc")).rejects.toThrow("Unsupported Network!!!");
    await expect(getPrice(1, "", "usdc")).rejects.toThrow("Token not provided!!!");
  });
});

describe("fund", () => {
  test("pays with a token and with the chain's own coin", async () => {
    const { privateKey, address } = account(devnet(), 0);
    const paid = await fund(3_906, "polygon", "USDC", privateKey);
    expect(paid).toMatchObject({ hash: expect.stringMatching(/^0x[0-9a-f]{64}$/), amount: 3_906n, from: address });
    expect(await fund(1_000, "polygon", "native", privateKey)).toMatchObject({ amount: 1_000n });
  });

  test("refuses to pay without a key, and on a chain it does not know", async () => {
    await expect(fund(1, "polygon", "usdc")).rejects.toThrow("Private Key not found!!!");
    await expect(fund(1, "unknown", "usdc", "1".repeat(64))).rejects.toThrow("Unsupported Network!!!");
  });
});

test("oneTimeAuth: a token that uploads one file", async () => {
  const { privateKey } = account(devnet(), 0);
  const token = await oneTimeAuth(privateKey);
  const { data } = await uploadText("by a visitor", token, "visitor.txt");
  expect(data.Name).toBe("visitor.txt");
  await expect(oneTimeAuth()).rejects.toThrow("Private key not provided!!!");
});

test("posdi: the proofs of a file, and the text if there is none yet", async () => {
  const apiKey = await getApiKey(devnet(), account(devnet(), 0));
  const { data } = await upload(new URL(import.meta.url), apiKey);
  const proof = await posdi(data.Hash);
  expect(proof.data).toMatchObject({ pieceCID: expect.any(String), dealInfo: [{ proof: expect.any(Object) }] });
  const unknown = "bafkreifzjut3te2nhyekklss27nh3k72ysco7y32koao5eei66wof36n5e";
  await expect(posdi(unknown)).rejects.toThrow("Proof Doesn't exist yet");
});
