import { getAddress, isAddress, Wallet } from "ethers";
import fc from "fast-check";
import { describe, expect, it, test } from "vitest";
import { checkAddress, checkAddresses } from "../../src/base/validation/address.ts";
import { failure } from "../support/failure.ts";

const hex = "0123456789abcdefABCDEF";
const solana = "7EcDhSYGxXyscszYEp35KHN8vvw3svAuLKTzXwCFLtVq";

function tryCheckAddress(address: unknown): string | undefined {
  try {
    return checkAddress(address);
  } catch (error) {
    expect(error).toMatchObject({ code: "INVALID_ADDRESS", message: "Invalid public Key" });
    return undefined;
  }
}

const lowerCase = fc
  .uint8Array({ minLength: 20, maxLength: 20 })
  .map((bytes) => `0x${Buffer.from(bytes).toString("hex")}`);

describe("EVM addresses agree with ethers", () => {
  it("in lower case, in upper case and with their checksum", () => {
    fc.assert(
      fc.property(lowerCase, (address) => {
        const forms = [address, getAddress(address), `0x${address.slice(2).toUpperCase()}`];
        for (const form of forms) {
          expect(isAddress(form)).toBe(true);
          expect(tryCheckAddress(form)).toBe(address);
        }
      }),
      { numRuns: 1_000 },
    );
  });

  it("in any mixed case, which needs the right checksum", () => {
    const digit = fc.constantFrom(...hex);
    fc.assert(
      fc.property(fc.array(digit, { minLength: 40, maxLength: 40 }), (digits) => {
        const address = `0x${digits.join("")}`;
        const isValid = isAddress(address);
        expect(tryCheckAddress(address)).toBe(isValid ? address.toLowerCase() : undefined);
      }),
      { numRuns: 1_000 },
    );
  });

  it("names the right spelling of one with a wrong checksum", async () => {
    const right = "0x52908400098527886E0F7030069857D2E4169EE7";
    const wrong = "0x52908400098527886E0F7030069857D2E4169eE7";
    expect(tryCheckAddress(right.replace("0x", "0X"))).toBe(right.toLowerCase());
    const error = await failure(Promise.resolve().then(() => checkAddresses([right, wrong])));
    expect(error).toMatchObject({
      code: "INVALID_ADDRESS",
      message: "Invalid public Key",
      details: { address: `"${wrong}"`, position: 1, expected: right },
    });
    expect(String(error)).toContain(right);
  });

  it("with a character more or less", () => {
    fc.assert(
      fc.property(
        lowerCase,
        fc.integer({ min: 0, max: 42 }),
        fc.constantFrom(...hex, " ", "g", "\n"),
        (address, at, more) => {
          const longer = `${address.slice(0, at)}${more}${address.slice(at)}`;
          expect(isAddress(longer)).toBe(false);
          expect(tryCheckAddress(longer)).toBeUndefined();
          expect(tryCheckAddress(address.slice(0, -1))).toBeUndefined();
        },
      ),
      { numRuns: 1_000 },
    );
  });
});

it("accepts the address of a wallet", () => {
  const { address } = Wallet.createRandom();
  expect(tryCheckAddress(address)).toBe(address.toLowerCase());
});

it("keeps the case of a base58 address", () => {
  expect(tryCheckAddress(solana)).toBe(solana);
});

test.each<[string, unknown]>([
  ["undefined", undefined],
  ["null", null],
  ["a number", 1],
  ["an empty string", ""],
  ["an EVM address without 0x, which is ambiguous", "8ba1f109551bd432803012645ac136ddd64dba72"],
  ["an ICAP address", "XE65GB6LDNXYOFTX0NSV3FUWKOWIXAMJK36"],
  ["a name", "vitalik.eth"],
  ["a line break after it", `${solana}\n`],
  ["base58 with 43 characters", solana.slice(1)],
  ["base58 with 45 characters", `${solana}1`],
  ["base58 with a 0", solana.replace("7", "0")],
  ["base58 with an l", solana.replace("7", "l")],
])("%s is not an address", (_, address) => {
  expect(tryCheckAddress(address)).toBeUndefined();
});

describe("lists of addresses", () => {
  const address = "0x8ba1f109551bd432803012645ac136ddd64dba72";

  it("have each address once, regardless of its case", () => {
    expect(checkAddresses([getAddress(address), address, solana])).toEqual([address, solana]);
    expect(checkAddresses(getAddress(address))).toEqual([address]);
  });

  it("are refused if they are empty or contain an invalid address", async () => {
    for (const list of [[], [address, "0x"], [[address]], undefined]) {
      const error = await failure(Promise.resolve().then(() => checkAddresses(list)));
      expect(error).toMatchObject({ code: "INVALID_ADDRESS", message: "Invalid public Key" });
    }
  });
});
