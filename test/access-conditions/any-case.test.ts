import { describe, expect, it } from "vitest";
import type { ChainType } from "../../src/keys/conditions/check-conditions.ts";
import { refusal } from "./refusal.ts";
import { changed, coreumSamples, radixSamples, samples, solanaSamples } from "./samples.ts";
import { sent } from "./sent.ts";

const { token, custom, native } = samples;

describe("accepts names in any case", () => {
  const names: [string, ChainType, object, string, string, string][] = [
    ["erc721", "EVM", token, "standardContractType", "erc721", "ERC721"],
    ["Erc20", "EVM", token, "standardContractType", "Erc20", "ERC20"],
    ["CUSTOM", "EVM", custom, "standardContractType", "CUSTOM", "Custom"],
    ["SPL-Token", "SOLANA", solanaSamples.token, "standardContractType", "SPL-Token", "spl-token"],
    ["devnet", "SOLANA", solanaSamples.token, "chain", "devnet", "DEVNET"],
    ["COREUM_testnet", "COREUM", coreumSamples.contract, "chain", "COREUM_testnet", "Coreum_Testnet"],
    ["radix_MAINNET", "RADIX", radixSamples.resource, "chain", "radix_MAINNET", "Radix_Mainnet"],
  ];
  it.each(names)("%s is accepted, and sent in its canonical case", async (_, chainType, condition, field, to, own) => {
    const { conditions } = await sent([changed(condition, field, to)], chainType);
    expect(conditions).toEqual([changed(condition, field, own)]);
  });

  it.each([
    ["EVM", native],
    ["SOLANA", solanaSamples.native],
    ["COREUM", coreumSamples.native],
    ["RADIX", radixSamples.resource],
  ] as const)("a contract type of null on %s is an empty one", async (chainType, condition) => {
    const { conditions } = await sent([changed(condition, "standardContractType", null)], chainType, null);
    expect(conditions).toEqual([condition]);
  });

  it.each(["EVM", "evm", "Evm", "", null, undefined])("chain type %o is EVM", async (chainType) => {
    expect((await sent([token], chainType)).chainType).toBe("EVM");
  });

  it.each(["solana", "Solana", "SOLANA"])("chain type %o is SOLANA", async (chainType) => {
    expect((await sent([solanaSamples.token], chainType)).chainType).toBe("SOLANA");
  });

  it.each(["COSMOS", 1, "EVM ", {}])("chain type %o is refused", async (chainType) => {
    const { code, message } = await refusal([token], chainType);
    expect([code, message]).toEqual([
      "INVALID_CONDITION",
      "Condition validation error: chainType must be EVM, SOLANA, COREUM or RADIX, in any case",
    ]);
  });

  it.each(["ADDRESS", "address", "Address", "", null, undefined])("decryption type %o is ADDRESS", async (option) => {
    expect((await sent([token], "EVM", undefined, option)).decryptionType).toBe("ADDRESS");
  });

  it.each(["ACCESS_CONDITIONS", "access_conditions", "Access_Conditions"])(
    "decryption type %o is ACCESS_CONDITIONS",
    async (option) => {
      expect((await sent([token], "EVM", undefined, option)).decryptionType).toBe("ACCESS_CONDITIONS");
    },
  );

  it.each(["OWNER", 1, "address "])("decryption type %o is refused", async (decryptionType) => {
    expect(await refusal([token], "EVM", undefined, decryptionType)).toMatchObject({
      code: "INVALID_CONDITION",
      message: "Condition validation error: decryptionType must be ADDRESS or ACCESS_CONDITIONS, in any case",
    });
  });
});
