import { HDNodeWallet, hexlify, Mnemonic, randomBytes } from "ethers";
import { expect, test } from "vitest";
import { deriveAccount } from "../../src/storage/account/keystore.ts";

test("the phrase of zero entropy yields the address that all wallets show", async () => {
  const { address } = await deriveAccount(new Uint8Array(16));
  expect(address).toBe("0x9858effd232b4033e47d90003d41ec34ecaeda94");
});

test.each([16, 20, 24, 28, 32])("%i bytes of entropy yield the account that ethers derives", async (size) => {
  for (let round = 0; round < 5; round++) {
    const entropy = randomBytes(size);
    const { address, privateKey } = await deriveAccount(entropy);
    const expected = HDNodeWallet.fromMnemonic(Mnemonic.fromEntropy(entropy));
    expect(hexlify(privateKey)).toBe(expected.privateKey);
    expect(address).toBe(expected.address.toLowerCase());
  }
});
