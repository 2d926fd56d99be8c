import { keccak_256 } from "@noble/hashes/sha3.js";
import { bytesToHex, utf8ToBytes } from "@noble/hashes/utils.js";
import { expect, test } from "vitest";
import { keccak256 } from "../../src/base/validation/address.ts";

test("keccak256 is that of the noble package for strings of every length", () => {
  for (let length = 0; length < 135; length++) {
    const text = String.fromCharCode(...Array.from({ length }, (_, at) => 32 + ((at * 37 + length * 11) % 95)));
    expect(bytesToHex(keccak256(text))).toBe(bytesToHex(keccak_256(utf8ToBytes(text))));
  }
});

test("keccak256 is the published hash of the empty string", () => {
  expect(bytesToHex(keccak256(""))).toBe("c5d2460186f7233c927e7db2dcc703c0e500b653ca82273b7bfad8045d85a470");
});
