import { expect, test } from "vitest";
import { invalidSource } from "../../src/base/errors/input.ts";
import { networkError } from "../../src/base/errors/transport.ts";
import { withDeadline } from "../../src/network/http/deadline.ts";
import { failure } from "../support/failure.ts";

const facts = { method: "POST", url: "http://127.0.0.1" };

/** Runs work that fails once its time is up. */
const failAtDeadline = (error: unknown) =>
  failure(
    withDeadline(facts, { signal: undefined, timeoutMs: 1 }, async (signal) => {
      await new Promise((resolve) => signal.addEventListener("abort", resolve));
      throw error;
    }),
  );

test("a failure with another cause keeps its error, though the time is up", async () => {
  expect(await failAtDeadline(invalidSource("it ended early", { name: "a" }))).toMatchObject({
    code: "INVALID_SOURCE",
  });
  expect(await failAtDeadline(networkError(facts, undefined))).toMatchObject({ code: "TIMEOUT" });
  expect(await failAtDeadline(new Error("socket hang up"))).toMatchObject({ code: "TIMEOUT" });
});
