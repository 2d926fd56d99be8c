import { deleteGlobalConfig, deleteGlobalMessage, setGlobalConfig, setGlobalMessage } from "valibot";
import { expect, it } from "vitest";
import { explainConditions } from "../../src/keys/conditions/explain.ts";
import { samples } from "./samples.ts";

it("every problem is reported in its own words in an app that configures valibot otherwise", () => {
  const condition = { ...samples.token, chain: "", method: "", parameters: [undefined, null, undefined], extra: 1 };
  setGlobalConfig({ abortEarly: true, abortPipeEarly: true });
  setGlobalMessage("the app's message");
  try {
    expect(() => explainConditions([condition as never])).toThrow(
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
    deleteGlobalConfig();
    deleteGlobalMessage();
  }
});
