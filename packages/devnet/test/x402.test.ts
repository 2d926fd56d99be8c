import { readFileSync } from "node:fs";
import { ContractFactory, Wallet } from "ethers";
import { afterEach, beforeAll, describe, expect, test } from "vitest";
import { account, cat, devnetForTests, send } from "../../../test/support/devnet-wire.ts";
import { startDevnet } from "../src/index.ts";
import { sendHttp2 } from "./http2-client.ts";
import { connectToken, createPayer, hello, usdc } from "./x402-payer.ts";

const devnet = devnetForTests({ chain: true, x402: { maxFileBytes: 2 * 1024 ** 2 } });
const wide = devnetForTests();

let wallet: Wallet;
let payer: ReturnType<typeof createPayer>;
let token: ReturnType<typeof connectToken>;
beforeAll(() => {
  wallet = new Wallet(account(devnet(), 0).privateKey);
  payer = createPayer(devnet(), wallet);
  token = connectToken(devnet(), wallet);
  return () => token.provider.destroy();
});
afterEach(() => {
  devnet().faults.clear();
  devnet().setUploadPrice(0.0005);
});

const balanceOf = (address = wallet.address) => token.balanceOf(address);
const priceOf = async (size: unknown, { endpoints } = devnet()) =>
  send("GET", `${endpoints.x402}/api/upload/price?size=${size}`);
const getExpiry = async (id: unknown) =>
  ((await send("GET", `${devnet().endpoints.x402}/api/renew/price?id=${id}`)).body as { currentExpiresAt: number })
    .currentExpiresAt;

/** Price of a byte, in smallest units: 63 MiB × 0.0005 + 0.001 USD. */
const PRICE = 32_500n;
const YEAR_MS = 365 * 86_400_000;

/** Calls, and returns what came of it, and how much was paid. */
async function paidBy<Result>(call: () => Promise<Result>): Promise<[Result, bigint]> {
  const before = await balanceOf();
  const result = await call();
  return [result, before - (await balanceOf())];
}

describe("prices", () => {
  test.each([
    [1, 63, "$0.032500"],
    [1024 ** 2, 67, "$0.034500"],
    [1024 ** 3, 4_663, "$2.332500"],
  ])("%i bytes are billed as %i MiB", async (size, billableMiB, totalPrice) => {
    expect(await priceOf(size, wide())).toMatchObject({
      status: 200,
      body: { fileSizeBytes: size, billableMiB, totalPrice, storagePeriodDays: 365, network: "eip155:31337" },
    });
  });

  test("have all fields of the network's", async () => {
    const { body } = await priceOf(17);
    expect(body).toEqual({
      fileSizeBytes: 17,
      fileSizeMB: 0,
      encodedSizeBytes: 66_034_000,
      encodedSizeMiB: 62.9749,
      billableMiB: 63,
      pricePerMB: "$0.0005",
      facilitatorFee: "$0.001000",
      totalPrice: "$0.032500",
      storagePeriodDays: 365,
      network: "eip155:31337",
      payTo: expect.stringMatching(/^0x[0-9a-fA-F]{40}$/),
    });
    expect((await fetch(`${devnet().endpoints.x402}/health`)).status).toBe(200);
  });

  test.each([
    ["", { error: "Provide 'size' query parameter (file size in bytes)" }],
    [0, { error: "Provide 'size' query parameter (file size in bytes)" }],
    [2 * 1024 ** 2 + 1, { error: "File exceeds maximum size of 2 MB", maxFileSizeBytes: 2 * 1024 ** 2 }],
  ])("there is none of %j bytes", async (size, body) => {
    expect(await priceOf(size)).toEqual({ status: 400, body });
  });

  test("can be set, from then on", async () => {
    const payment = await payer.prepareUpload();
    devnet().setUploadPrice(0.001);
    expect((await priceOf(1)).body).toMatchObject({ pricePerMB: "$0.001", totalPrice: "$0.064000" });
    const reply = await payer.upload(payment);
    expect(reply.required).toMatchObject({ error: "No matching payment requirements", accepts: [{ amount: "64000" }] });
    for (const price of [-1, Number.NaN, Number.POSITIVE_INFINITY]) {
      expect(() => devnet().setUploadPrice(price)).toThrow(expect.objectContaining({ code: "INVALID_OPTION" }));
    }
  });
});

describe("what is refused before a payment", () => {
  test("a request without a length, or with too much", async () => {
    const url = `${devnet().endpoints.x402}/api/upload`;
    const empty = await fetch(url, { method: "POST" });
    expect([empty.status, await empty.json()]).toEqual([400, { error: "Content-Length header is required" }]);
    const { status, body } = await payer.request("/api/upload", {}, new Uint8Array(2 * 1024 ** 2 + 1));
    expect([status, body]).toEqual([413, { error: "File exceeds maximum size of 2 MB" }]);
  });

  test.each([
    ["no payment", {}],
    ["a malformed one", { "payment-signature": "no base64" }],
    ["one of an earlier version", { "x-payment": "e30=" }],
  ])("%s: the response demands one", async (_, headers) => {
    const { status, body, required } = await payer.request("/api/upload", headers, hello);
    expect([status, body]).toEqual([402, {}]);
    expect(required).toEqual({
      x402Version: 2,
      error: "Payment required",
      resource: {
        url: `${devnet().endpoints.x402}/api/upload`,
        description: "Upload file to Lighthouse IPFS storage (first year included)",
        mimeType: "application/json",
      },
      accepts: [
        {
          scheme: "exact",
          network: "eip155:31337",
          amount: String(PRICE),
          asset: expect.stringMatching(new RegExp(`^${devnet().chain?.uploadNetwork.usdc}$`, "i")),
          payTo: expect.any(String),
          maxTimeoutSeconds: 300,
          extra: { name: "USDC", version: "2" },
        },
      ],
    });
  });

  test("every paid request, without a chain", async () => {
    const init = { method: "POST", body: "x" };
    const response = await fetch(`${wide().endpoints.x402}/api/upload`, init);
    expect([response.status, await response.json()]).toEqual([502, { error: expect.any(String) }]);
    expect((await fetch(`${wide().endpoints.x402}/api/upload`, { method: "POST" })).status).toBe(400);
  });

  test("pages may read the headers", async () => {
    const headers = { origin: "http://page.test" };
    const response = await fetch(`${devnet().endpoints.x402}/api/upload`, { method: "POST", body: "x", headers });
    expect(response.headers.get("access-control-expose-headers")).toContain("PAYMENT-REQUIRED, PAYMENT-RESPONSE");
  });
});

describe("a paid upload", () => {
  test("is stored for a year, and paid once", async () => {
    const body = Buffer.from("a paid file");
    const before = Date.now();
    const [reply, paid] = await paidBy(() => payer.pay(body));
    expect([reply.status, paid]).toEqual([200, PRICE]);
    const { cid, id, expiresAt } = reply.body;
    expect(reply.body).toEqual({
      success: true,
      id: expect.stringMatching(/^[0-9a-f-]{36}$/),
      cid: expect.stringMatching(/^bafkrei/),
      fileName: "hello.txt",
      mimeType: "application/octet-stream",
      fileSizeBytes: body.length,
      expiresAt: expect.any(Number),
      storagePeriodDays: 365,
      publicKey: wallet.address.toLowerCase(),
      fileState: "to-extend",
      ipfsUrl: `${devnet().endpoints.gateway}/ipfs/${cid}`,
    });
    expect(reply.settled).toEqual({
      success: true,
      transaction: expect.stringMatching(/^0x[0-9a-f]{64}$/),
      network: "eip155:31337",
      payer: wallet.address,
    });
    expect(Number(expiresAt) - before).toBeGreaterThanOrEqual(YEAR_MS);
    expect(await getExpiry(id)).toBe(expiresAt);

    const receipt = await token.provider.getTransactionReceipt(String(reply.settled?.["transaction"]));
    const events = receipt?.logs.map((log) => usdc.parseLog(log)?.name);
    expect(events).toContain("AuthorizationUsed");

    expect(Buffer.from(await cat(devnet(), String(cid)))).toEqual(body);
    const api = `${devnet().endpoints.api}/api/lighthouse`;
    const { body: blobs } = await send("GET", `${api}/walrus_blobs?cid=${cid}`);
    expect(blobs).toEqual({ blobIds: [expect.any(String)] });
    const { body: info } = await send("GET", `${api}/file_info?cid=${cid}`);
    expect(info).toMatchObject({ cid, fileSizeInBytes: String(body.length), fileName: expect.stringMatching(/^lh-/) });
  });

  test("of more than one block is split as uploads are", async () => {
    const body = new Uint8Array(1024 ** 2).fill(7);
    const { body: reply } = await payer.pay(body);
    expect(reply["cid"]).toMatch(/^bafybei/);
    expect(Buffer.from(body).equals(await cat(devnet(), String(reply["cid"])))).toBe(true);
  });

  test("cannot be had twice for one payment", async () => {
    const payment = await payer.prepareUpload();
    expect((await payer.upload(payment)).status).toBe(200);
    const [again, paid] = await paidBy(() => payer.upload(payment));
    expect([again.status, again.body, paid]).toEqual([402, {}, 0n]);
    expect(again.required?.error).toBe("invalid_exact_evm_nonce_already_used");
  });

  test("twice at once for one payment: both are stored, one is paid", async () => {
    const payment = await payer.prepareUpload();
    const [replies, paid] = await paidBy(() => Promise.all([payer.upload(payment), payer.upload(payment)]));
    expect([replies.map(({ status }) => status).sort(), paid]).toEqual([[200, 402], PRICE]);
    const refused = replies.find(({ status }) => status === 402);
    expect(refused?.required ?? refused?.settled).toBeDefined();
  });
});

test("an upload is paid over HTTP/2, too", async () => {
  const own = await startDevnet({ chain: true, tls: true });
  try {
    const url = `${own.endpoints.x402}/api/upload`;
    const post = (headers: Readonly<Record<string, string>>) => {
      const init = { method: "POST", headers: { "content-length": String(hello.length), ...headers }, body: [hello] };
      return sendHttp2(url, own.certificate, init);
    };
    const demand = (await post({})).headers;
    expect(demand[":status"]).toBe(402);
    const { accepts, resource } = JSON.parse(Buffer.from(String(demand["payment-required"]), "base64").toString());
    expect(resource.url).toBe(url);
    const signer = new Wallet(account(own, 0).privateKey);
    const paid = await post({ "payment-signature": await createPayer(own, signer).sign(accepts[0]) });
    expect(paid.headers[":status"]).toBe(200);
    expect(JSON.parse(paid.body.toString())).toMatchObject({ success: true, fileSizeBytes: hello.length });
  } finally {
    await own.close();
  }
});

describe("a payment that is not valid", () => {
  const now = Math.floor(Date.now() / 1_000);
  const stranger = "0x1111111111111111111111111111111111111111";
  test.each([
    ["accepts another amount", { accepted: { amount: "1" } }, "No matching payment requirements"],
    ["accepts more than was offered", { accepted: { more: 1 } }, "No matching payment requirements"],
    ["is of another version", { payment: { x402Version: 3 } }, "Unsupported x402 version: 3"],
    ["has no payload", { payment: { payload: {} } }, "invalid_payload"],
    ["pays less", { authorization: { value: "1" } }, "invalid_exact_evm_authorization_value"],
    ["pays more", { authorization: { value: "99999" } }, "invalid_exact_evm_authorization_value"],
    ["pays another", { authorization: { to: stranger } }, "invalid_exact_evm_recipient_mismatch"],
    ["is of another account", { authorization: { from: stranger } }, "invalid_exact_evm_signature"],
    [
      "has expired",
      { authorization: { validBefore: String(now + 2) } },
      "invalid_exact_evm_payload_authorization_valid_before",
    ],
    [
      "is not valid yet",
      { authorization: { validAfter: String(now + 3_600) } },
      "invalid_exact_evm_payload_authorization_valid_after",
    ],
    [
      "has a wrong signature",
      { signature: (right: string) => `${right.slice(0, -4)}001b` },
      "invalid_exact_evm_signature",
    ],
    [
      "has a longer signature of no contract",
      { signature: (right: string) => `${right}00` },
      "invalid_exact_evm_payload_undeployed_smart_wallet",
    ],
  ])("%s", async (_, changes, error) => {
    const [reply, paid] = await paidBy(() => payer.pay(hello, changes));
    expect([reply.status, reply.body, paid]).toEqual([402, {}, 0n]);
    expect(reply.required).toMatchObject({ error, accepts: [{ amount: String(PRICE) }] });
    expect(reply.settled).toBeUndefined();
  });

  test("is of an account without funds", async () => {
    const poor = createPayer(devnet(), new Wallet(Wallet.createRandom().privateKey));
    expect((await poor.pay()).required?.error).toBe("invalid_exact_evm_insufficient_balance");
  });

  test("was cancelled", async () => {
    const payment = await payer.prepareUpload();
    const { nonce } = JSON.parse(Buffer.from(payment, "base64").toString()).payload.authorization;
    const domain = {
      name: "USDC",
      version: "2",
      chainId: 31_337,
      verifyingContract: devnet().chain?.uploadNetwork.usdc ?? "",
    };
    const types = { CancelAuthorization: ["authorizer address", "nonce bytes32"].map(toField) };
    const signature = await wallet.signTypedData(domain, types, { authorizer: wallet.address, nonce });
    await token.transact("cancelAuthorization", [wallet.address, nonce, signature]);
    expect((await payer.upload(payment)).required?.error).toBe("invalid_exact_evm_nonce_already_used");
  });

  const toField = (text: string) => {
    const [name = "", type = ""] = text.split(" ");
    return { name, type };
  };
});

test("an account that is a contract pays, with a signature of any length", async () => {
  const { abi, bytecode } = JSON.parse(readFileSync(new URL("contract-account.json", import.meta.url), "utf8"));
  const deployed = await new ContractFactory(abi, bytecode, token.signer).deploy(wallet.address);
  await deployed.waitForDeployment();
  const address = await deployed.getAddress();
  await token.transact("transfer", [address, 3n * PRICE]);
  const contract = createPayer(devnet(), wallet, address);
  for (const signature of [(right: string) => right, (right: string) => `${right}c0ffee`]) {
    const reply = await contract.pay(hello, { signature });
    expect([reply.status, reply.body["publicKey"]]).toEqual([200, address.toLowerCase()]);
  }
  expect(await balanceOf(address)).toBe(PRICE);
  const wrong = await contract.pay(hello, { signature: () => `0x${"11".repeat(70)}` });
  expect(wrong.required?.error).toBe("invalid_exact_evm_transaction_simulation_failed");
  const short = await contract.pay(hello, { signature: () => `0x${"11".repeat(65)}` });
  expect(short.required?.error).toBe("invalid_exact_evm_signature");
});

describe("a renewal", () => {
  test("adds a year each time", async () => {
    const { body: stored } = await payer.pay();
    const { body: price } = await send("GET", `${devnet().endpoints.x402}/api/renew/price?id=${stored["id"]}`);
    expect(price).toMatchObject({ id: stored["id"], billableMiB: 63, currentExpiresAt: stored["expiresAt"] });
    const [reply, paid] = await paidBy(() => payer.renew(stored["id"]));
    const first = Number(stored["expiresAt"]);
    expect([reply.status, paid, reply.settled?.["success"]]).toEqual([200, PRICE, true]);
    expect(reply.body).toEqual({
      success: true,
      id: stored["id"],
      cid: stored["cid"],
      fileName: "hello.txt",
      fileSizeBytes: 5,
      previousExpiresAt: first,
      expiresAt: first + YEAR_MS,
      storagePeriodDays: 365,
      publicKey: wallet.address.toLowerCase(),
    });
    await payer.renew(stored["id"]);
    expect(await getExpiry(stored["id"])).toBe(first + 2 * YEAR_MS);
  });

  test("by another account is refused, and not paid", async () => {
    const { body: stored } = await payer.pay();
    const other = new Wallet(account(devnet(), 1).privateKey);
    const before = await balanceOf(other.address);
    const reply = await createPayer(devnet(), other).renew(stored["id"]);
    const error = "Only the original uploader can renew this file";
    expect([reply.status, reply.body]).toEqual([403, { error, id: stored["id"] }]);
    expect([await balanceOf(other.address), await getExpiry(stored["id"])]).toEqual([before, stored["expiresAt"]]);
  });

  test("of an unknown file, or of none, is refused", async () => {
    const unknown = await payer.request("/api/renew", { "x-file-id": "x" });
    expect([unknown.status, unknown.body]).toEqual([404, { error: "File record not found", id: "x" }]);
    expect((await payer.request("/api/renew", {})).status).toBe(400);
    const url = `${devnet().endpoints.x402}/api/renew/price`;
    expect((await send("GET", `${url}?id=x`)).status).toBe(404);
    expect((await send("GET", url)).status).toBe(400);
  });
});
