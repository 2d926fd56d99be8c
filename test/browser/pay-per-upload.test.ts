import { Wallet } from "ethers";
import { expect, inject, test } from "vitest";
import { payPerUpload, verifyUploadReceipt } from "../../packages/pay-per-upload/src/index.ts";
import { decrypt, isUnfinished, type UploadedFiles, upload, uploadEncrypted } from "../../src/index.ts";

const { endpoints, accounts, uploadNetwork: network } = inject("devnet");
const signer = new Wallet(accounts[3]?.privateKey ?? "");
const terms = { signer, maxAmount: 1_000_000, network, waitMs: 0 };
const payer = payPerUpload(terms);
const read = async (cid: string) => (await fetch(`${endpoints.gateway}/ipfs/${cid}`)).bytes();

test("a page pays for a File, and its progress ends at 1", async () => {
  const content = crypto.getRandomValues(new Uint8Array(50_000));
  const fractions: number[] = [];
  const [{ Hash, receipt }] = await upload(new File([content], "ä.bin"), {
    endpoints,
    payPerUpload: payer,
    onProgress: ({ fraction }) => fractions.push(fraction),
  });
  expect(await read(Hash)).toEqual(content);
  expect(fractions.at(-1)).toBe(1);
  if (!receipt) throw new Error("there is no receipt");
  expect(receipt.id).toBeDefined();
  await verifyUploadReceipt(receipt, { endpoints, network });
});

test("a page pays for an encrypted file of several MiB, by a wallet's provider", async () => {
  const content = new Uint8Array(9 * 1024 * 1024).fill(7);
  const provider = {
    async request({ method, params = [] }: { method: string; params?: readonly unknown[] }) {
      if (method !== "eth_signTypedData_v4") return [signer.address];
      const { domain, types, message } = JSON.parse(String(params[1]));
      const { EIP712Domain: _, ...own } = types;
      return signer.signTypedData(domain, own, message);
    },
  };
  const owner = { signer, endpoints, pauseMs: 0 };
  const paid = payPerUpload({ ...terms, signer: provider });
  const [{ Hash, receipt }] = await uploadEncrypted(new File([content], "b.bin"), { ...owner, payPerUpload: paid });
  expect(receipt?.amount).toBeDefined();
  const decrypted = await decrypt(Hash, { ...owner, as: "bytes" });
  expect(decrypted.length).toBe(content.length);
  expect(decrypted.every((byte) => byte === 7)).toBe(true);
});

test("an upload that is aborted in a page after it was signed is resumed", async () => {
  const stop = new AbortController();
  const watched = {
    getAddress: () => signer.address,
    async signTypedData(...args: Parameters<Wallet["signTypedData"]>) {
      setTimeout(() => stop.abort(), 0);
      return signer.signTypedData(...args);
    },
  };
  const content = crypto.getRandomValues(new Uint8Array(60_000));
  const paid = payPerUpload({ ...terms, signer: watched });
  const call = upload(new File([content], "c.bin"), { endpoints, payPerUpload: paid, signal: stop.signal });
  const error: unknown = await call.catch((reason: unknown) => reason);
  // The wallet may have been faster than the abort, or slower.
  const again = isUnfinished<UploadedFiles>(error)
    ? await error.resume()
    : await upload(new File([content], "c.bin"), { endpoints, payPerUpload: payer });
  expect(await read(again[0].Hash)).toEqual(content);
});
