import { expect, it } from "vitest";
import * as z from "zod";
import { checkConditions } from "../../src/keys/conditions/check-conditions.ts";
import { samples } from "./samples.ts";

it("every problem is reported in its own words in an app that configures zod otherwise", () => {
  const condition = { ...samples.token, chain: "", method: "", parameters: [undefined, null, undefined], extra: 1 };
  z.config({ customError: () => "the app's message", localeError: () => "the app's message" });
  try {
    expect(() => checkConditions([condition], undefined, "EVM")).toThrow(
      expect.objectContaining({
        code: "INVALID_CONDITION",
        details: {
          problems: [
            { position: 0, id: 1, field: "chain", expected: "must be a non-empty string" },
            { position: 0, id: 1, field: "method", expected: "must be a non-empty string" },
            { position: 0, id: 1, field: "parameters[0]", expected: "must be a value that JSON can represent" },
            { position: 0, id: 1, field: "parameters[2]", expected: "must be a value that JSON can represent" },
            { position: 0, id: 1, field: "extra", expected: "is not a field of this kind of condition" },
          ],
        },
      }),
    );
  } finally {
    z.config({ customError: undefined, localeError: undefined });
  }
});
