import { describe, expect, test } from "vitest";
import { cutEvery, cuts, decryptAll, encryptAll, fromHex, implementations, toHex } from "../crypto/helpers.ts";
import { wycheproofCases as cases } from "../support/vectors.ts";

test("there are 66 cases, some of them invalid and some with additional data", () => {
  expect(cases).toHaveLength(66);
  expect(cases.some(({ result }) => result === "invalid")).toBe(true);
  expect(cases.some(({ aad }) => aad !== "")).toBe(true);
});

describe.each(implementations)("Wycheproof by %s", (_name, gcm) => {
  describe.each(cuts)("%s", (_cut, length) => {
    test.each(cases)("case $tcId is $result $comment", async ({ key, iv, aad, msg, ct, tag, result }) => {
      const options = { key: fromHex(key), iv: fromHex(iv), additionalData: fromHex(aad) };
      const opened = decryptAll(gcm, options, cutEvery(fromHex(ct), length), fromHex(tag));
      if (result === "invalid") {
        await expect(opened).rejects.toMatchObject({ code: "CANNOT_DECRYPT" });
        return;
      }
      expect(toHex(await opened)).toBe(msg);
      const sealed = await encryptAll(gcm, options, cutEvery(fromHex(msg), length));
      expect(toHex(sealed.ciphertext)).toBe(ct);
      expect(toHex(sealed.tag)).toBe(tag);
    });
  });
});
