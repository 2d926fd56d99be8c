import { randomBytes } from "node:crypto";
import { writeFile } from "node:fs/promises";
import { Wallet } from "ethers";
import { createWalletClient, http } from "viem";
import { privateKeyToAccount } from "viem/accounts";
import { afterEach, describe, expect, test } from "vitest";
import {
  createKit,
  isUnfinished,
  type UploadedFiles,
  upload,
  uploadBuffer,
  uploadEncrypted,
  uploadEncryptedFolder,
  uploadText,
  uploadTextEncrypted,
} from "../../../src/index.ts";
import { as } from "../../../test/kavach/saved-keys.ts";
import { account, cat } from "../../../test/support/devnet-wire.ts";
import { failure } from "../../../test/support/failure.ts";
import { scratch } from "../../../test/support/files.ts";
import { getUploadPrice, type PayPerUploadOptions, verifyUploadReceipt } from "../src/index.ts";
import { payerForTests, receiptOf } from "./rig.ts";

const rig = payerForTests({ x402: { maxFileBytes: 5_000_000 } });
const { devnet, paying, reading, balance, countPayments, countUploads, wallet } = rig;
const endpoints = () => ({ endpoints: devnet().endpoints });

afterEach(() => {
  devnet().faults.clear();
  devnet().setUploadPrice(0.0005);
});

const bytes = (size: number) => new Uint8Array(randomBytes(size));
const unique = () => `${crypto.randomUUID()}`;
const own = () => ({ ...as(devnet(), 0), ...paying() });

/** Calls, and returns what came of it, and how much was paid. */
async function paidBy<Result>(call: () => Promise<Result>): Promise<[Result, bigint]> {
  const before = await balance();
  const result = await call();
  return [result, before - (await balance())];
}

const calls: Record<string, () => Promise<[UploadedFiles, Uint8Array]>> = {
  async upload() {
    const path = `${await scratch()}/a.bin`;
    const content = bytes(700_000);
    await writeFile(path, content);
    return [await upload(path, paying()), content];
  },
  async "upload of a File"() {
    const content = bytes(70_000);
    return [await upload(new File([content], "b.bin"), paying()), content];
  },
  async uploadText() {
    const text = unique();
    return [await uploadText(text, paying()), new TextEncoder().encode(text)];
  },
  async uploadBuffer() {
    const content = bytes(10);
    return [await uploadBuffer(content, { ...paying(), name: "c.bin" }), content];
  },
};

test.each(Object.entries(calls))("%s pays once, and its receipt proves it", async (_, call) => {
  const [[stored, content], paid] = await paidBy(call);
  const [{ Hash, Size }] = stored;
  expect(Buffer.from(await cat(devnet(), Hash)).equals(content)).toBe(true);
  expect(Size).toBe(String(content.length));
  const { amount, days } = await getUploadPrice(content.length, endpoints());
  expect([paid, days]).toEqual([amount, 365]);
  const receipt = receiptOf(stored);
  expect(receipt).toMatchObject({
    service: devnet().endpoints.x402,
    orderId: Hash,
    payer: account(devnet(), 0).address.toLowerCase(),
    chainId: 31_337,
    amount: String(amount),
  });
  expect(receipt.expiresAt).toBeGreaterThan(Date.now() + 364 * 86_400_000);
  expect(await countPayments(receipt.nonce)).toBe(1);
  const verified = await verifyUploadReceipt(receipt, reading());
  expect(verified).toMatchObject({ amount: String(amount), transaction: receipt.transaction });
});

test.each([
  ["uploadEncrypted", async (content: Uint8Array) => uploadEncrypted(content, { ...own(), name: "d.bin" })],
  [
    "uploadTextEncrypted",
    async (content: Uint8Array) => uploadTextEncrypted(Buffer.from(content).toString("latin1"), own()),
  ],
])("%s pays for what is stored, and its key opens it", async (_, call) => {
  const content = new TextEncoder().encode(unique());
  const [stored, paid] = await paidBy(() => call(content));
  const [{ Hash, Size }] = stored;
  const { decrypt } = createKit(as(devnet(), 0));
  expect(await decrypt(Hash, { as: "bytes" })).toEqual(content);
  expect(paid).toBe((await getUploadPrice(Number(Size), endpoints())).amount);
  const receipt = receiptOf(stored);
  expect(receipt.orderId).toMatch(/^key [0-9a-f]{64}$/);
  expect(receipt.orderId).not.toContain(Hash);
  await verifyUploadReceipt(receipt, reading());
});

test("the same file again, at once or later, is found and not paid again", async () => {
  const content = bytes(1_000);
  const [all, paid] = await paidBy(() =>
    Promise.all([1, 2, 3].map(() => uploadBuffer(content, paying({ waitMs: 60_000 })))),
  );
  const { amount } = await getUploadPrice(1_000, endpoints());
  expect(paid).toBe(amount);
  const [again, paidAgain] = await paidBy(() => uploadBuffer(content, paying()));
  expect(paidAgain).toBe(0n);
  const receipts = [...all, again].map(receiptOf);
  expect(new Set(receipts.map(({ transaction }) => transaction)).size).toBe(1);
  for (const receipt of receipts) await verifyUploadReceipt(receipt, reading());
  // Only the response to the payment has it.
  expect(receiptOf(again)).not.toHaveProperty("id");
});

test("another order for the same content is paid for", async () => {
  const content = bytes(1_000);
  const [, paid] = await paidBy(async () => {
    await uploadBuffer(content, paying());
    await uploadBuffer(content, paying({ orderId: "next year" }));
    await uploadBuffer(content, paying({ orderId: "next year" }));
  });
  expect(paid).toBe(2n * (await getUploadPrice(1_000, endpoints())).amount);
});

test("another payer pays for an order of their own", async () => {
  const content = bytes(1_000);
  const [first] = await uploadBuffer(content, paying());
  const before = await balance(1);
  const [second] = await uploadBuffer(content, paying({}, 1));
  expect(before - (await balance(1))).toBe((await getUploadPrice(1_000, endpoints())).amount);
  expect(first.receipt?.nonce).not.toBe(second.receipt?.nonce);
});

describe("who pays", () => {
  const key = () => account(devnet(), 0).privateKey as `0x${string}`;
  const rpc = () => devnet().chain?.rpc ?? "";
  const provider = {
    async request({ method, params = [] }: { method: string; params?: readonly unknown[] }) {
      if (method === "eth_requestAccounts" || method === "eth_accounts") return [wallet().address];
      if (method !== "eth_signTypedData_v4") throw Object.assign(new Error("not here"), { code: 4200 });
      const { domain, types, message } = JSON.parse(String(params[1]));
      const { EIP712Domain: _, ...own } = types;
      return wallet().signTypedData(domain, own, message);
    },
  };

  test.each<[string, () => PayPerUploadOptions["signer"]]>([
    ["a wallet of ethers", () => new Wallet(key())],
    ["an account of viem", () => privateKeyToAccount(key())],
    ["a client of viem", () => createWalletClient({ account: privateKeyToAccount(key()), transport: http(rpc()) })],
    ["a wallet's provider", () => provider],
  ])("may be %s", async (_, signer) => {
    const [stored, paid] = await paidBy(() => uploadText(unique(), paying({ signer: signer() })));
    expect(paid).toBeGreaterThan(0n);
    expect(receiptOf(stored).payer).toBe(wallet().address.toLowerCase());
  });

  test("may refuse to sign: then nothing is sent", async () => {
    const signer = {
      getAddress: () => wallet().address,
      signTypedData: () => Promise.reject(new Error(`no, ${key()}`)),
    };
    const before = countUploads();
    const error = await failure(uploadText(unique(), paying({ signer })));
    expect(error.code).toBe("SIGNATURE_REJECTED");
    expect(isUnfinished(error)).toBe(false);
    expect(JSON.stringify(error)).not.toContain(key());
    // The one that asks what it costs.
    expect(countUploads() - before).toBe(1);
  });

  test.each([
    ["no hex", "signature"],
    ["too short", "0x1234"],
    ["nothing", undefined],
  ])("must return a signature, not %s", async (_, signature) => {
    const signer = { getAddress: () => wallet().address, signTypedData: async () => signature as string };
    await expect(uploadText(unique(), paying({ signer }))).rejects.toMatchObject({ code: "INVALID_OPTION" });
  });

  test("must have enough", async () => {
    const poor = Wallet.createRandom();
    const error = await failure(uploadText(unique(), paying({ signer: poor })));
    expect(error).toMatchObject({ code: "INSUFFICIENT_FUNDS", details: { available: "0", asset: "USDC" } });
  });

  test("signs with the domain of the token, for no longer than sending may take", async () => {
    const signed: { domain: Record<string, unknown>; value: Record<string, string> }[] = [];
    const signer = {
      getAddress: () => wallet().address,
      signTypedData(domain: object, types: never, value: Record<string, string>) {
        signed.push({ domain: { ...domain }, value });
        return wallet().signTypedData(domain, types, value);
      },
    };
    await uploadText(unique(), paying({ signer }));
    await uploadBuffer(bytes(5_000_000), paying({ signer }));
    const now = Date.now() / 1000;
    for (const { domain, value } of signed) {
      expect(domain).toEqual({
        name: "USDC",
        version: "2",
        chainId: 31_337,
        verifyingContract: expect.stringMatching(/^0x/),
      });
      expect(Number(value["validBefore"]) - now).toBeGreaterThan(250);
      expect(Number(value["validBefore"]) - now).toBeLessThan(320);
      expect(Number(value["validAfter"])).toBeLessThan(now);
    }
    expect(signed).toHaveLength(2);
  });
});

describe("is refused before anything is signed", () => {
  const signer = () => ({
    getAddress: () => wallet().address,
    signTypedData: () => Promise.reject(new Error("it was signed")),
  });
  const call = (changed: () => object, source: Parameters<typeof upload>[0] = bytes(10)) =>
    failure((async () => upload(source, { ...paying({ signer: signer() }), ...changed() } as never))());
  const payingWith = (changed: object) => paying({ signer: signer(), ...changed } as never);

  test.each<[string, () => object, string, object?]>([
    ["above the limit", () => payingWith({ maxAmount: 32_499 }), "PAYMENT_ABOVE_LIMIT", { amount: "32500" }],
    ["without a limit", () => payingWith({ maxAmount: undefined }), "INVALID_OPTION", { option: "maxAmount" }],
    ["a broken limit", () => payingWith({ maxAmount: 1.5 }), "INVALID_OPTION", { option: "maxAmount" }],
    ["a negative limit", () => payingWith({ maxAmount: -1 }), "INVALID_OPTION", { option: "maxAmount" }],
    ["without a signer", () => payingWith({ signer: undefined }), "INVALID_OPTION", { option: "signer" }],
    [
      "a signer of messages",
      () => payingWith({ signer: { getAddress: () => "", signMessage: () => "" } }),
      "INVALID_OPTION",
    ],
    ["an unknown option", () => payingWith({ max: 1 }), "INVALID_OPTION", { option: "max", nearest: "maxAmount" }],
    ["an empty order", () => payingWith({ orderId: " " }), "INVALID_OPTION", { option: "orderId" }],
    ["an unknown chain", () => payingWith({ network: "polygon" }), "INVALID_OPTION", { option: "network" }],
    ["no token", () => payingWith({ network: { chainId: 1, rpc: "http://127.0.0.1:1" } }), "INVALID_OPTION"],
    ["an API key beside it", () => ({ apiKey: "key" }), "INVALID_OPTION", { option: "payPerUpload" }],
    [
      "an endpoint beside it",
      () => ({ via: "https://localhost/upload" }),
      "INVALID_OPTION",
      { option: "payPerUpload" },
    ],
    [
      "what the package has not made",
      () => ({ payPerUpload: { signer: signer(), maxAmount: 10_000_000n } }),
      "INVALID_OPTION",
      { option: "payPerUpload" },
    ],
    ["version 0", () => ({ cidVersion: 0 }), "INVALID_OPTION", { option: "cidVersion" }],
    ["a wrapping folder", () => ({ wrapWithDirectory: true }), "INVALID_OPTION", { option: "wrapWithDirectory" }],
    ["another class", () => ({ storage: "annual" }), "INVALID_OPTION", { option: "storage" }],
  ])("%s", async (_, changed, code, details = {}) => {
    expect(await call(changed)).toMatchObject({ code, details });
  });

  test.each<[string, Parameters<typeof upload>[0], string]>([
    ["an empty file", new Uint8Array(), "INVALID_SOURCE"],
    ["two files", [new Blob(["a"]), new File(["b"], "b")], "INVALID_SOURCE"],
    ["a stream", { name: "s", size: 1, stream: new Blob(["a"]).stream() }, "INVALID_SOURCE"],
    ["a file above the service's limit", new Uint8Array(5_000_001), "FILE_TOO_LARGE"],
  ])("%s", async (_, source, code) => {
    expect(await call(() => ({}), source)).toMatchObject({ code });
  });

  test("an encrypted list or folder", async () => {
    const pair = [new File(["a"], "a.txt"), new File(["b"], "b.txt")];
    const options = { ...as(devnet(), 0), ...paying({ signer: signer() }) };
    await expect(uploadEncrypted(pair, options)).rejects.toMatchObject({ code: "INVALID_SOURCE" });
    const folder = [{ name: "f/a.txt", stream: new Blob(["a"]).stream() }];
    await expect(uploadEncryptedFolder(folder, options)).rejects.toMatchObject({ code: "INVALID_SOURCE" });
  });

  test("a service of another chain, or another token", async () => {
    const { chainId, rpc, usdc } = devnet().chain?.uploadNetwork ?? { chainId: 0, rpc: "", usdc: "" };
    const other = `0x${"1".repeat(40)}`;
    for (const network of [
      "base",
      "base-sepolia",
      { chainId: chainId + 1, rpc, usdc },
      { chainId, rpc, usdc: other },
    ] as const) {
      const error = await failure(uploadText(unique(), paying({ signer: signer(), network })));
      expect(["UNEXPECTED_PAYMENT", "WRONG_CHAIN", "INVALID_RESPONSE", "NETWORK"]).toContain(error.code);
    }
  });
});

test("a kit's API key or endpoint is replaced by a payment", async () => {
  const kit = createKit({ apiKey: "key", endpoints: devnet().endpoints });
  const stored = await kit.uploadText(unique(), paying());
  expect(receiptOf(stored).amount).toBe("32500");
});

test("names of files arrive in a header", async () => {
  const [{ Name }] = await upload(new File([bytes(5)], "Ärger 100 %\n.txt"), paying());
  expect(Name).toBe("Ärger 100 %\n.txt");
});

test("the price is asked of the service, by size or by a file's id", async () => {
  expect(await getUploadPrice(1, endpoints())).toEqual({ amount: 32_500n, days: 365 });
  expect(await getUploadPrice(1_048_576, endpoints())).toMatchObject({ amount: 34_500n });
  const { id = "", expiresAt } = receiptOf(await uploadText(unique(), paying()));
  expect(await getUploadPrice({ id }, endpoints())).toEqual({ amount: 32_500n, days: 365, expiresAt });
  await expect(getUploadPrice({ id: "none" }, endpoints())).rejects.toMatchObject({
    code: "HTTP_STATUS",
    details: { status: 404 },
  });
  await expect(getUploadPrice(5_000_001, endpoints())).rejects.toMatchObject({
    code: "FILE_TOO_LARGE",
    details: { limit: 5_000_000 },
  });
  for (const subject of [0, -1, 1.5, Number.NaN, "5", { id: 5 }, { id: "a b" }, undefined]) {
    await expect(getUploadPrice(subject as never, endpoints())).rejects.toMatchObject({ code: "INVALID_OPTION" });
  }
});

test("without a node of the chain the payment is made, and never twice", async () => {
  const network = { ...reading().network, rpc: "http://127.0.0.1:9" };
  const content = bytes(100);
  const [, paid] = await paidBy(() => uploadBuffer(content, paying({ network })));
  expect(paid).toBe(32_500n);
  const [error, paidAgain] = await paidBy(() => failure(uploadBuffer(content, paying({ network }))));
  expect([error.code, paidAgain]).toEqual(["PAYMENT_NOT_TAKEN", 0n]);
  expect(await isUnfinished(error)).toBe(true);
});
