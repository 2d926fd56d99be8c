import { describe, expect, test } from "vitest";
import { cutEvery, cuts, decryptAll, encryptAll, fromHex, implementations, toHex } from "../crypto/helpers.ts";
import { wycheproofCases } from "../support/vectors.ts";

/** Files have no additional data. */
const cases = wycheproofCases.filter(({ aad }) => aad === "");

test("there are 48 cases, some of them invalid", () => {
  expect(cases).toHaveLength(48);
  expect(cases.some(({ result }) => result === "invalid")).toBe(true);
});

describe.each(implementations)("Wycheproof by %s", (_name, gcm) => {
  describe.each(cuts)("%s", (_cut, length) => {
    test.each(cases)("case $tcId is $result $comment", async ({ key, iv, msg, ct, tag, result }) => {
      const options = { key: fromHex(key), iv: fromHex(iv) };
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
