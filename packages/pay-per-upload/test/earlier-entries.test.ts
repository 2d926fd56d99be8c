import { stat, writeFile } from "node:fs/promises";
import { expect, test } from "vitest";
import { decrypt, openJournal, type UploadedFiles } from "../../../src/index.ts";
import { getEntries } from "../../../src/journal/handle.ts";
import { as } from "../../../test/kavach/saved-keys.ts";
import { failure } from "../../../test/support/failure.ts";
import { scratch } from "../../../test/support/files.ts";
import { computeNonce } from "../src/authorization.ts";
import { payPerUpload } from "../src/index.ts";
import { payerForTests, receiptOf } from "./rig.ts";

// An entry as it was written while the SDK paid by itself.

const { devnet, terms, reading, balance, countPayments, wallet } = payerForTests();

const orderId = "key e31e99e2842e68de8e9d8d7fe056d44d04df519e8f046764de7f06065c43e646";

const file = {
  name: "a.bin",
  size: 11,
  masterKey: "0fa25629e646b7b9bd2b74b00090cc625cd66ac8dae9722730835ac6081ddaf9",
  keyShards: [
    {
      key: "24ac5e7d379fe2677104e9aa3477ff48a7a11dc1b9dfe3c404765cf7141161bd",
      index: "2d753902414677a69864ab0c707e4c86ca406d29417ab16fd44e387f41935306",
    },
    {
      key: "2c3e7b8c563f146da6a98aeffc6b69783a4deb0632f5dc0440433a403d278c0e",
      index: "2bf234d99ed020f681ad4cfdafd80b788a3ca5342818dfbd5b0e5aa74238b695",
    },
    {
      key: "0d12cd31379de7dbe156fb6b3f6725bcb8013b1bb308d85cd882c0f50c50eb8b",
      index: "2aec240ae82d2a92629092b9973cec8378d7550356caf95e825982505f2e06b7",
    },
    {
      key: "659f19036d4c727d99155ea7a495107eecb01103e1c4f571d185f916edbf58c4",
      index: "23572365bf163f39f4a1e31fde67a300cf24aebf9cc5d24ef0f2f7240bfaa827",
    },
    {
      key: "047b5323933763f6d94e8e1eeb22fe3928bcf7b3c24d11c3e7cfce678eab20d6",
      index: "58a3a9508cb86f6d20d14b4f65ed6f2d5b844dd6652af50943190b0400724d5d",
    },
  ],
  attempts: [
    {
      cids: [
        "bafkreie4bacog477ggt7364ljz23bcawvbh6ugqlrylgb6wkzdzjvrsod4",
        "bafkreie4bacog477ggt7364ljz23bcawvbh6ugqlrylgb6wkzdzjvrsod4",
      ],
      profiles: ["1-262144-174", "1-1048576-1024"],
      size: 55,
    },
  ],
  nodesDone: [],
};

test("an order has the nonce that it has always had", async () => {
  const payer = "0xc35049fd429aa0c6f7c3e7261dca44e6833899ad";
  const nonce = "0x9509b77497076c5822847f663217ad4ef6fc7cffc39fa3b1c100fb422a58a56a";
  expect(await computeNonce({ service: "http://127.0.0.1:43825", orderId, payer })).toBe(nonce);
});

test("an upload that the SDK was to pay for is refused without its payer, stays open, and is then paid for once", async () => {
  const folder = await scratch();
  const path = `${folder}/a.bin`;
  await writeFile(path, "hello there");
  const { size, mtimeNs, ctimeNs, ino, dev } = await stat(path, { bigint: true });
  const facts = {
    path,
    size: Number(size),
    mtimeNs: `${mtimeNs}`,
    ctimeNs: `${ctimeNs}`,
    ino: `${ino}`,
    dev: `${dev}`,
  };
  const { network } = reading();
  const { endpoints } = devnet();
  const payer = wallet().address.toLowerCase();
  const usdc = network.usdc.toLowerCase();
  const journal = await openJournal({ folder: `${folder}/journal` });
  const entry = await getEntries(journal).start(
    "upload",
    {
      owner: payer,
      files: [{ ...file, facts }],
      order: { service: endpoints.x402, orderId, payer, chainId: network.chainId, usdc },
      options: {
        cidVersion: 1,
        verifyCid: false,
        endpoints,
        saveOn: "all",
        scheme: "bls12-381",
        payPerUpload: { network, maxAmount: "10000000" },
      },
    },
    { durable: true },
  );
  await entry.release();
  const own = as(devnet(), 0);
  const { network: _, ...others } = terms();
  const before = await balance();

  expect(await journal.list()).toMatchObject([{ id: entry.id, payPerUpload: { maxAmount: 10_000_000n } }]);
  for (const given of [undefined, others, { signer: wallet(), maxAmount: 1 }]) {
    expect(await failure(journal.resume(entry.id, { ...own, payPerUpload: given as never }))).toMatchObject({
      code: "INVALID_OPTION",
      message: expect.stringContaining("@keeplight/pay-per-upload"),
      details: { option: "payPerUpload" },
    });
  }
  const [refused] = await journal.resumeAll(own);
  expect(refused).toMatchObject({ id: entry.id, error: { code: "INVALID_OPTION" } });
  expect([await journal.list(), await balance()]).toEqual([[expect.objectContaining({ id: entry.id })], before]);

  const { result } = await journal.resume(entry.id, { ...own, payPerUpload: payPerUpload(others) });
  const [{ Hash }] = result as UploadedFiles;
  expect(Buffer.from(await decrypt(Hash, { ...own, as: "bytes" })).toString()).toBe("hello there");
  const receipt = receiptOf(result as UploadedFiles);
  expect(receipt).toMatchObject({ orderId, payer, service: endpoints.x402 });
  expect(await countPayments(receipt.nonce)).toBe(1);
  expect(before - (await balance())).toBe(BigInt(receipt.amount ?? 0));
  expect(await journal.list()).toEqual([]);
});
