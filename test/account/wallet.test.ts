import { HDNodeWallet, Wallet } from "ethers";
import { expect, test } from "vitest";
import { createWallet } from "../../src/storage/account/wallet.ts";
import { failure } from "../support/failure.ts";

test("other wallets open a wallet with its password, including the recovery phrase; the page stays responsive meanwhile", async () => {
  const fractions: number[] = [];
  let ticks = 0;
  const timer = setInterval(() => ticks++, 5);
  const { address, encryptedWallet } = await createWallet("pässwörd", {
    onProgress: ({ fraction }) => fractions.push(fraction),
  });
  clearInterval(timer);

  expect(ticks).toBeGreaterThan(5);
  expect(fractions.length).toBeGreaterThan(50);
  expect(fractions.length).toBeLessThan(500);
  expect(fractions).toEqual(fractions.toSorted((a, b) => a - b));
  expect(fractions.at(-1)).toBe(1);

  const opened = await Wallet.fromEncryptedJson(encryptedWallet, "pässwörd");
  expect(opened.address.toLowerCase()).toBe(address);
  expect(opened).toBeInstanceOf(HDNodeWallet);
  const phrase = (opened as HDNodeWallet).mnemonic?.phrase ?? "";
  expect(HDNodeWallet.fromPhrase(phrase).privateKey).toBe(opened.privateKey);

  const { version, crypto } = JSON.parse(encryptedWallet);
  expect(version).toBe(3);
  expect(crypto).toMatchObject({ kdf: "scrypt", kdfparams: { n: 131_072, r: 8, p: 1, dklen: 32 } });
  expect(encryptedWallet).not.toContain(opened.privateKey.slice(2));
  await expect(Wallet.fromEncryptedJson(encryptedWallet, "password")).rejects.toThrow("incorrect password");
});

test("an abort stops the work midway, without another step", async () => {
  const controller = new AbortController();
  const fractions: number[] = [];
  const creating = createWallet("password", {
    signal: controller.signal,
    onProgress({ fraction }) {
      fractions.push(fraction);
      if (fraction > 0.1) controller.abort();
    },
  });
  expect((await failure(creating)).code).toBe("ABORTED");
  expect(fractions.filter((fraction) => fraction > 0.1)).toHaveLength(1);
  expect(fractions.at(-1)).toBeLessThan(0.5);
});

test("a signal that is already aborted creates nothing, and an error thrown by onProgress stops the work", async () => {
  const reported: number[] = [];
  const onProgress = ({ fraction }: { fraction: number }) => reported.push(fraction);
  expect((await failure(createWallet("password", { signal: AbortSignal.abort(), onProgress }))).code).toBe("ABORTED");
  expect(reported).toEqual([]);
  const stop = new Error("enough");
  const throwing = createWallet("password", {
    onProgress({ fraction }) {
      reported.push(fraction);
      if (fraction > 0.01) throw stop;
    },
  });
  await expect(throwing).rejects.toBe(stop);
  expect(reported.at(-1)).toBeLessThan(0.5);
});

test.each<[string, unknown]>([
  ["an empty string", ""],
  ["nothing", undefined],
  ["a number", 5],
])("%s is not a password", async (_, password) => {
  expect(await failure(createWallet(password as string))).toMatchObject({
    code: "INVALID_OPTION",
    message: "Invalid option password: expected a non-empty string",
  });
});
