import { describe, expect, test } from "vitest";
import { type NetworkName, networks, type PaymentNetwork, type PaymentToken } from "../../src/base/config/networks.ts";
import { payWithToken } from "../../src/payment/pay.ts";
import { getPrice, getQuote } from "../../src/payment/quote.ts";
import { failure } from "../support/failure.ts";
import { scratch, writeTree } from "../support/files.ts";
import { createServer, endpointsAt, findClosedUrl, sendJson } from "../support/http-server.ts";
import { createRandom } from "./random.ts";

const MIB = 1_048_576;

test.each<[size: number | bigint, network: NetworkName, token: PaymentToken, amount: bigint, usd: string]>([
  [MIB, "polygon", "usdc", 3906n, "0.00390625"],
  [0, "polygon", "usdc", 3906n, "0.00390625"],
  [1, "polygon", "usdt", 3906n, "0.00390625"],
  [MIB - 1, "polygon", "usdc", 3906n, "0.00390625"],
  [MIB + 1, "polygon", "dai", 3_906_253_725_290_298n, "0.0039062537252902984619140625"],
  [MIB, "polygon", "dai", 3_906_250_000_000_000n, "0.00390625"],
  [MIB, "binance", "usdc", 3_906_250_000_000_000n, "0.00390625"],
  [MIB, "calibration", "usdt", 3_906_250_000_000_000n, "0.00390625"],
  [2 ** 28, "polygon", "usdc", 1_000_000n, "1"],
  // 7812.5 units: the tie is rounded up
  [2 * MIB, "polygon", "usdc", 7813n, "0.0078125"],
  [2 ** 53, "polygon", "usdc", 33_554_432_000_000n, "33554432"],
  [2n ** 53n, "polygon", "dai", 33_554_432n * 10n ** 18n, "33554432"],
  [2 ** 53 - 1, "polygon", "usdc", 33_554_432_000_000n, "33554431.9999999962747097015380859375"],
])("%d bytes on %s cost this in %s", async (size, network, token, amount, usd) => {
  expect(await getPrice(size, { network, token })).toMatchObject({ amount, usd, token });
});

test("the default is polygon's own coin, by the ticker", async () => {
  const server = await createServer((request, response) =>
    sendJson(response, request.query["symbol"] === "MATIC" ? 0.5 : 9),
  );
  expect(await getPrice(MIB, { endpoints: endpointsAt(server.url) })).toEqual({
    token: "native",
    amount: 7_812_500_000_000_000n,
    decimals: 18,
    usd: "0.00390625",
  });
});

test.each([-1, 1.5, Number.NaN, Number.POSITIVE_INFINITY, 2 ** 53 + 2, 2n ** 53n + 1n, -1n])(
  "a size of %d is refused",
  async (size) => {
    expect(await failure(getPrice(size, { token: "usdc" }))).toMatchObject({
      code: "INVALID_OPTION",
      details: { option: "size" },
    });
  },
);

test.each([
  ["filecoin", "dai"],
  ["fantom-testnet", "usdc"],
  ["polygon", "doge"],
  ["polygon", "toString"],
])("%s does not accept %s", async (network, token) => {
  const error = await failure(getPrice(1, { network: network as NetworkName, token: token as PaymentToken }));
  expect(error.code).toBe("TOKEN_NOT_SUPPORTED");
  expect(error.message).toMatch(`Token ${token} cannot be paid with: this network does not have it, it has native`);
});

test("files cost the price of their total size", async () => {
  const folder = await writeTree(await scratch(), { "a/b.bin": new Uint8Array(MIB), "a/c.bin": new Uint8Array(5) });
  const size = MIB + 5;
  const { amount } = await getPrice(size, { token: "dai" });
  expect(amount).toBe(3_906_268_626_451_492n);
  for (const source of [`${folder}/a`, [new Blob([new Uint8Array(MIB)]), new Uint8Array(5)]]) {
    expect((await getPrice(source, { token: "dai" })).amount).toBe(amount);
  }
  const stream = (known: number | undefined) => ({ name: "s", size: known, stream: new Blob(["x"]).stream() });
  expect((await getPrice(stream(size), { token: "dai" })).amount).toBe(amount);
  expect((await failure(getPrice(stream(undefined), { token: "dai" }))).code).toBe("INVALID_SOURCE");
});

describe("a ticker with an invalid price is refused", () => {
  test.each(["0", "-1", '"0.5"', "null", "[1]", "1e999", "NaN", "", "<html>"])("%s", async (body) => {
    const server = await createServer((_, response) => response.end(body));
    const error = await failure(getPrice(MIB, { network: "filecoin", endpoints: endpointsAt(server.url) }));
    expect(error.code).toBe("TICKER_FAILED");
    expect(error.message).toMatch(/^Failed to get ticker price: ./);
    expect(error.details["symbol"]).toBe("FIL");
  });

  test("a ticker that fails is refused", async () => {
    const error = await failure(getPrice(MIB, { endpoints: endpointsAt(await findClosedUrl()) }));
    expect([error.code, error.message]).toEqual(["TICKER_FAILED", "Failed to get ticker price: Network error"]);
  });
});

/** Long division on decimal strings, digit by digit: shares no arithmetic with the code under test. */
function divideText(dividend: string, divisor: bigint): bigint {
  let quotient = "";
  let rest = 0n;
  for (const digit of dividend) {
    rest = rest * 10n + BigInt(digit);
    let times = 0;
    while (rest >= divisor) {
      rest -= divisor;
      times += 1;
    }
    quotient += times;
  }
  const up = rest + rest >= divisor ? 1n : 0n;
  return BigInt(quotient || "0") + up;
}

/**
 * Computes the price by hand: the size's digits with zeros appended, divided by 2^28 times the coin's price in units of
 * its last digit.
 */
function expected(size: bigint, decimals: number, usdPerCoin: string): bigint {
  const billed = size < 1_048_576n ? 1_048_576n : size;
  const [whole = "", fraction = ""] = usdPerCoin.split(".");
  return divideText(String(billed) + "0".repeat(decimals + fraction.length), 268_435_456n * BigInt(whole + fraction));
}

function sizeFrom(random: () => number): bigint {
  const bits = Math.floor(random() * 54);
  const size = BigInt(Math.floor(random() * 2 ** 26)) * 2n ** 27n + BigInt(Math.floor(random() * 2 ** 27));
  return bits === 53 ? size : size % 2n ** BigInt(bits);
}

test("9,000 prices in tokens are exact, for any decimals", async () => {
  const random = createRandom(20_260_917);
  for (let at = 0; at < 9_000; at++) {
    const size = sizeFrom(random);
    const decimals = at % 3 === 0 ? 6 : at % 3 === 1 ? 18 : Math.floor(random() * 31);
    const network: PaymentNetwork = {
      ...networks.polygon,
      tokens: { usdc: { ...networks.polygon.tokens.usdc, decimals } },
    };
    const { amount } = await getPrice(at % 2 ? size : Number(size), { network, token: "usdc" });
    expect(amount, `${size} bytes at ${decimals} decimals`).toBe(expected(size, decimals, "1"));
  }
});

test("1,000 prices in coins are exact, for any ticker", async () => {
  const random = createRandom(4_711);
  let ticker = "1";
  const server = await createServer((_, response) => response.end(ticker));
  const endpoints = endpointsAt(server.url);
  for (let at = 0; at < 1_000; at++) {
    const size = sizeFrom(random);
    const places = Math.floor(random() * 9);
    ticker = ((1 + Math.floor(random() * 10 ** (1 + (at % 9)))) / 10 ** places).toFixed(places);
    const { amount } = await getPrice(size, { network: "filecoin", endpoints });
    expect(amount, `${size} bytes at ${ticker} USD`).toBe(expected(size, 18, ticker));
  }
});

test.each([
  ["1e-7", 39_062_500_000_000_000_000_000n],
  ["1e+11", 39_063n],
  ["123456789.123456789", 31_640_625n],
])("a ticker of %s is parsed exactly", async (ticker, amount) => {
  const server = await createServer((_, response) => response.end(ticker));
  expect((await getPrice(MIB, { network: "filecoin", endpoints: endpointsAt(server.url) })).amount).toBe(amount);
});

describe("the price per MiB and the minimum can be changed", () => {
  const rate = { network: "polygon", token: "usdc" } as const;
  test.each<[size: number, own: { usdPerMiB?: number | string; minimumBytes?: number }, amount: bigint, usd: string]>([
    [MIB, { usdPerMiB: 0.01 }, 10_000n, "0.01"],
    [MIB, { usdPerMiB: "0.01" }, 10_000n, "0.01"],
    [3 * MIB, { usdPerMiB: "0.1" }, 300_000n, "0.3"],
    [
      3 * MIB,
      { usdPerMiB: "12345678901234567890.123456789" },
      37_037_036_703_703_703_670_370_370n,
      "37037036703703703670.370370367",
    ],
    [1, { minimumBytes: 0 }, 0n, "0.0000000037252902984619140625"],
    [1, { minimumBytes: 2 * MIB }, 7813n, "0.0078125"],
    [0, { minimumBytes: 0 }, 0n, "0"],
    [2 ** 28, { usdPerMiB: 1e-7 }, 26n, "0.0000256"],
    [2 ** 20, { usdPerMiB: 2 }, 2_000_000n, "2"],
  ])("%d bytes with %j", async (size, own, amount, usd) => {
    expect(await getPrice(size, { ...rate, ...own })).toMatchObject({ amount, usd });
    expect((await getQuote(new Uint8Array(size < 9 ? size : 0), { ...rate, ...own })).price?.token).toBe("usdc");
  });

  test("also for the chain's own coin, and for a payment of a size", async () => {
    const server = await createServer((_, response) => sendJson(response, 0.5));
    const endpoints = endpointsAt(server.url);
    expect((await getPrice(MIB, { usdPerMiB: "0.25", endpoints })).amount).toBe(5n * 10n ** 17n);
    const payment = { ...rate, size: MIB, privateKey: "1".repeat(64), maxAmount: 9_999n };
    expect(await failure(payWithToken({ ...payment, usdPerMiB: 0.01 }))).toMatchObject({
      code: "PAYMENT_ABOVE_LIMIT",
      details: { amount: "10000" },
    });
    expect(await failure(payWithToken({ ...payment, minimumBytes: 3 * MIB }))).toMatchObject({
      details: { amount: "11719" },
    });
  });

  test.each([
    { usdPerMiB: 0 },
    { usdPerMiB: -1 },
    { usdPerMiB: "" },
    { usdPerMiB: "a" },
    { usdPerMiB: "0x10" },
    { usdPerMiB: Number.NaN },
    { usdPerMiB: null },
    { usdPerMiB: "1".repeat(1_000) },
    { minimumBytes: -1 },
    { minimumBytes: 1.5 },
    { minimumBytes: "1" },
    { minimumBytes: null },
  ])("%j is refused", async (own) => {
    const [option = ""] = Object.keys(own);
    const error = await failure(getPrice(1, { ...rate, ...own } as object));
    expect(error).toMatchObject({ code: "INVALID_OPTION", details: { option } });
  });
});
