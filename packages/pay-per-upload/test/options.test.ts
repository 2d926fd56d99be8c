import { describe, expect, test } from "vitest";
import { failure } from "../../../test/support/failure.ts";
import { createServer, endpointsAt, sendJson } from "../../../test/support/http-server.ts";
import { getUploadPrice, payPerUpload, renewUpload, verifyUploadReceipt } from "../src/index.ts";

const payer = "0xc35049fd429aa0c6f7c3e7261dca44e6833899ad";
const receipt = { service: "https://a.example", orderId: "1", payer, chainId: 1, nonce: `0x${"5e".repeat(32)}` };
const renewable = { ...receipt, id: "a", expiresAt: 1 };
const signer = { getAddress: () => payer, signTypedData: async () => `0x${"5e".repeat(65)}` };

const calls: Record<string, (options: never) => unknown> = {
  getUploadPrice: (options) => getUploadPrice(1, options),
  payPerUpload: (options) => payPerUpload(options),
  renewUpload: (options) => renewUpload(renewable, options),
  verifyUploadReceipt: (options) => verifyUploadReceipt(receipt, options),
};

const refusal = (call: (options: never) => unknown, options: unknown) =>
  failure((async () => call(options as never))());

describe.each(Object.entries(calls))("%s", (_, call) => {
  test.each([null, 5, "x", true, [], () => 0, new URL("http://a.invalid")])(
    "refuses %j as options",
    async (options) => {
      expect(await refusal(call, options)).toMatchObject({ code: "INVALID_OPTION", details: { option: "options" } });
    },
  );

  test("refuses an unknown option, and names it", async () => {
    const error = await refusal(call, { qqqqqqqq: 1 });
    expect(error).toMatchObject({ code: "INVALID_OPTION", details: { option: "qqqqqqqq" } });
    expect(error.message).toMatch(/^Unknown option qqqqqqqq: the options are \w+/);
  });
});

test("what a caller changes after the call has no effect on it", async () => {
  const expiresAt = Date.now();
  const server = await createServer((_, response) =>
    sendJson(response, { totalPrice: "$0.001", storagePeriodDays: 365, currentExpiresAt: expiresAt }),
  );
  const other = `0x${"11".repeat(20)}`;
  const create = () => ({
    subject: { id: "a" },
    receipt: { ...renewable },
    options: { endpoints: { ...endpointsAt(server.url) } },
    network: { chainId: 1, usdc: other, rpc: server.url },
  });
  const run = (given: ReturnType<typeof create>) => [
    getUploadPrice(given.subject, given.options),
    renewUpload(given.receipt, { ...given.options, signer, maxAmount: 1, network: given.network }),
    failure(verifyUploadReceipt(given.receipt, { ...given.options, network: given.network })),
  ];
  const expected = await Promise.all(run(create()));
  const given = create();
  const changed = run(given);
  for (const part of [given.subject, given.receipt, given.options.endpoints, given.network]) {
    for (const name of Object.keys(part)) (part as Record<string, unknown>)[name] = "changed";
  }
  expect(await Promise.all(changed)).toEqual(expected);
  expect(expected).toMatchObject([{ amount: 1_000n, expiresAt }, { id: "a", expiresAt }, { code: "PAYMENT_MISMATCH" }]);
});

test("what pays has a limit that a journal keeps, and no secret", () => {
  const { stored } = payPerUpload({ signer, maxAmount: 5, network: "base-sepolia" });
  expect(stored).toEqual({ maxAmount: "5", network: "base-sepolia" });
});
