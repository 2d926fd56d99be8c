import { getAddress } from "ethers";
import { describe, expect, test } from "vitest";
import { DEFAULT_NETWORK, networks, type PaymentNetwork } from "../../src/base/config/networks.ts";
import { resolveNetwork } from "../../src/base/config/resolve-network.ts";
import { payWithToken } from "../../src/payment/pay.ts";
import { getPrice } from "../../src/payment/quote.ts";
import { failure } from "../support/failure.ts";

const rows: [name: string, row: PaymentNetwork][] = Object.entries(networks);

test("the table has every network, with its chain id, and pays in these tokens", () => {
  const table = rows.map(([name, { chain_id: chainId, symbol, tokens }]) => [
    name,
    symbol,
    chainId,
    Object.entries(tokens)
      .map(([token, { decimals }]) => `${token} ${decimals}`)
      .join(", "),
  ]);
  expect(table).toEqual([
    ["fantom", "FTM", 250, "dai 18, usdc 6, usdt 6"],
    ["polygon", "MATIC", 137, "dai 18, usdc 6, usdt 6"],
    ["binance", "BNB", 56, "dai 18, usdc 18, usdt 18"],
    ["optimism", "ETH", 10, "dai 18, usdc 6, usdt 6"],
    ["filecoin", "FIL", 314, "usdc 6"],
    ["calibration", "FIL", 314_159, "usdt 18"],
    ["fantom-testnet", "FTM", 4002, ""],
    ["polygon-testnet", "MATIC", 80_001, "usdc 6"],
    ["binance-testnet", "BNB", 97, ""],
    ["optimism-testnet", "ETH", 69, ""],
    ["wallaby-testnet", "tFIL", 31_415, ""],
  ]);
  expect(DEFAULT_NETWORK).toBe("polygon");
});

describe.each(rows)("%s", (_, row) => {
  test("is complete", () => {
    expect(row.decimals).toBe(18);
    for (const url of [row.rpc, row.scan, ...(row.moreRpcs ?? [])]) expect(new URL(url).protocol).toBe("https:");
    expect(row.scan).toMatch(/\/$/);
  });

  test("has addresses that, if of mixed case, have a valid checksum (EIP-55)", () => {
    const feeds = row.priceFeed === undefined ? [] : [row.priceFeed];
    for (const address of [row.contract, ...feeds, ...Object.values(row.tokens).map((token) => token.address)]) {
      expect(address).toMatch(/^0x[0-9a-fA-F]{40}$/);
      expect([getAddress(address), getAddress(address).toLowerCase()]).toContain(address);
    }
  });
});

test("every address, chain and token of the table equals the older client's", async () => {
  const { lighthouseConfig } = await import("@lighthouse-web3/sdk/dist/lighthouse.config.js");
  const older = lighthouseConfig as unknown as Record<string, Record<string, string | number> | undefined>;
  for (const [name, { symbol, chain_id: chainId, rpc, scan, contract, tokens }] of rows) {
    const row = older[name] ?? {};
    expect([symbol, chainId, rpc, scan, contract], name).toEqual([
      row["symbol"],
      Number(row["chain_id"]),
      row["rpc"],
      row["scan"],
      row["lighthouse_contract_address"],
    ]);
    const known = ["usdc", "usdt", "dai"].filter((token) => `${token}_contract_address` in row);
    expect(Object.keys(tokens).sort(), name).toEqual(known.sort());
    for (const [token, { address, decimals }] of Object.entries(tokens)) {
      const documented = row[`${token}_contract_decimal`] ?? row["usd_contract_decimal"];
      expect([address, decimals], `${name}, ${token}`).toEqual([row[`${token}_contract_address`], documented]);
    }
  }
});

test("coins with a price have bounds of it, and those with a Chainlink feed on their own chain name it", () => {
  const facts = rows.flatMap(([name, { priceBand, priceFeed }]) =>
    priceBand ? [[name, priceBand.low, priceBand.high, priceBand.asOf, priceFeed]] : [],
  );
  expect(facts).toEqual([
    // Chainlink shut its feeds on Fantom down in 2026, and has none on Filecoin.
    ["fantom", 0.02, 5, "2026-11", undefined],
    ["polygon", 0.02, 5, "2026-11", "0xAB594600376Ec9fD91F8e885dADF0CE036862dE0"],
    ["binance", 60, 6_000, "2026-11", "0x0567F2323251f0Aab15c8dFb1967E4e8A7D42aeE"],
    ["optimism", 300, 30_000, "2026-11", "0x13e3Ee699D1909E989722E753853AE30b17e08c5"],
    ["filecoin", 0.1, 50, "2026-11", undefined],
  ]);
  expect(rows.filter(([, row]) => row.priceFeed && !row.priceBand)).toEqual([]);
});

test("changing a row during a payment does not change the payment", async () => {
  const network: { -readonly [Key in keyof PaymentNetwork]: PaymentNetwork[Key] } = {
    ...networks.polygon,
    rpc: "http://127.0.0.1:9",
    chain_id: 1,
  };
  const paying = failure(payWithToken({ network, token: "native", amount: 1n, privateKey: "1".repeat(64) }));
  network.rpc = "nowhere";
  network.contract = "nobody";
  expect((await paying).code).toBe("NETWORK");
});

test("no chain and no token is listed twice", () => {
  const unique = (list: readonly unknown[]) => expect(new Set(list).size).toBe(list.length);
  unique(rows.map(([, row]) => row.chain_id));
  unique(rows.flatMap(([, { rpc, moreRpcs = [] }]) => [rpc, ...moreRpcs]));
  for (const [, { contract, tokens }] of rows) {
    unique([contract, ...Object.values(tokens).map(({ address }) => address)].map((address) => address.toLowerCase()));
  }
});

test("what a name of the table does not say is in its row", () => {
  const facts = rows.map(([name, { retired, faucet, tokens }]) => {
    const labels = Object.values(tokens).flatMap(({ label }) => label ?? []);
    return [
      name,
      ...(retired ? ["retired"] : []),
      ...(faucet === undefined ? [] : [new URL(faucet).protocol]),
      ...labels,
    ];
  });
  expect(facts).toEqual([
    ["fantom", "DAI (Multichain)", "USDC (Multichain)", "fUSDT (Multichain)"],
    ["polygon", "USDC.e"],
    ["binance"],
    ["optimism", "USDC.e"],
    ["filecoin", "axlUSDC"],
    ["calibration", "https:"],
    ["fantom-testnet", "https:"],
    ["polygon-testnet", "retired"],
    ["binance-testnet", "https:"],
    ["optimism-testnet", "retired"],
    ["wallaby-testnet", "retired"],
  ]);
});

test.each(["polygon-testnet", "optimism-testnet", "wallaby-testnet"] as const)(
  "a payment on %s, which has been shut down, is refused as such",
  async (network) => {
    const order = { network, token: "native", amount: 1n, privateKey: "1".repeat(64) } as const;
    const error = await failure(payWithToken(order));
    expect([error.code, error.message]).toEqual(["UNSUPPORTED_NETWORK", "Unsupported Network!!!"]);
    expect(error.details).toMatchObject({ network, retired: true });
    expect(error.details["networks"]).not.toContain(network);
    expect(error.toString()).toContain(`${network} has been shut down`);
    // A row of one's own, such as a fork's, is taken.
    const own = { ...networks[network], rpc: "http://127.0.0.1:9" };
    expect((await failure(payWithToken({ ...order, network: own }))).code).toBe("NETWORK");
  },
);

test.each([["moonbase"], ["toString"], [""], [null], [5]])("the network %j is not known", async (network) => {
  const error = await failure(getPrice(1, { network: network as "polygon" }));
  expect([error.code, error.message]).toEqual(["UNSUPPORTED_NETWORK", "Unsupported Network!!!"]);
});

test.each([
  ["network.rpc", { rpc: "polygon-rpc.com" }],
  ["network.moreRpcs", { moreRpcs: "https://polygon.drpc.org" }],
  ["network.moreRpcs.1", { moreRpcs: ["https://polygon.drpc.org", "polygon.drpc.org"] }],
  ["network.chain_id", { chain_id: 0 }],
  ["network.chain_id", { chain_id: "137" }],
  ["network.contract", { contract: "0x12" }],
  ["network.tokens.usdc.address", { tokens: { usdc: { address: "usdc", decimals: 6 } } }],
  ["network.tokens.usdc.decimals", { tokens: { usdc: { address: networks.polygon.contract, decimals: -1 } } }],
  ["network.symbol", { symbol: "" }],
  ["network.priceBand", { priceBand: 3_000 }],
  ["network.priceBand.low", { priceBand: { low: 0, high: 5, asOf: "2026-11" } }],
  ["network.priceBand.high", { priceBand: { low: 1, high: Number.POSITIVE_INFINITY, asOf: "2026-11" } }],
  ["network.priceBand.high", { priceBand: { low: 1, high: "5", asOf: "2026-11" } }],
  ["network.priceBand.asOf", { priceBand: { low: 1, high: 5 } }],
  ["network.priceFeed", { priceFeed: "MATIC / USD" }],
  ["network.tokens", { tokens: undefined }],
])("a custom row with an invalid %s is refused", async (option, wrong) => {
  const network = { ...networks.polygon, ...wrong } as unknown as PaymentNetwork;
  const error = await failure(getPrice(1, { network, token: "usdc" }));
  expect([error.code, error.details["option"]]).toEqual(["INVALID_OPTION", option]);
});

test("a row of one's own may have the names of earlier versions", async () => {
  const { scan: explorerTxUrl, chain_id: chainId, ...row } = networks.polygon;
  expect(resolveNetwork({ ...row, explorerTxUrl, chainId })).toMatchObject({ chainId: 137, explorerTxUrl });
  expect(resolveNetwork({ ...networks.polygon, chainId: 31_337 })).toMatchObject({ chainId: 31_337, explorerTxUrl });
});

test("an address with a wrong checksum is refused before anything is sent", async () => {
  const wrong = networks.polygon.contract.replace("aD13", "Ad13");
  const error = await failure(
    payWithToken({
      network: { ...networks.polygon, contract: wrong, rpc: "http://127.0.0.1:9" },
      token: "usdc",
      amount: 1n,
      privateKey: "1".repeat(64),
    }),
  );
  expect([error.code, error.details["option"]]).toEqual(["INVALID_OPTION", "network.contract"]);
  expect(error.message).toContain(`if all digits are right, it is ${networks.polygon.contract}`);
});
