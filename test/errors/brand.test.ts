import { inspect } from "node:util";
import { runInNewContext } from "node:vm";
import { expect, test, vi } from "vitest";
import { isKeeplightError, KeeplightError, UnfinishedError, upload } from "../../src/index.ts";
import { failure } from "../support/failure.ts";
import { incomplete } from "../support/incomplete.ts";

test("an error has a code, and shows it in JSON and when printed", async () => {
  const error = await failure(upload(new Uint8Array(1), incomplete()));
  expect(error).toBeInstanceOf(KeeplightError);
  expect(error).toBeInstanceOf(Error);
  expect(JSON.parse(JSON.stringify(error))).toEqual({
    name: "KeeplightError",
    code: "MISSING_API_KEY",
    message: "No API key: pass { apiKey }, or bind one with createKit({ apiKey })",
    details: {},
  });
  expect(inspect(error)).toContain("code: 'MISSING_API_KEY'");
});

test("errors of another copy of this kit, and of another realm, are recognised", async () => {
  vi.resetModules();
  const other = await import("../../src/index.ts");
  const error = new other.KeeplightError("MISSING_TOKEN", "Token not provided!!!");
  expect(error).not.toBeInstanceOf(KeeplightError);
  expect(isKeeplightError(error)).toBe(true);
  const unfinished = new other.UnfinishedError("ABORTED", "", { resume: async () => 1 });
  expect(isKeeplightError(unfinished)).toBe(true);
  const foreign = runInNewContext(
    "Object.defineProperty(new Error('x'), Symbol.for('keeplight.error'), {value: true})",
  );
  expect(isKeeplightError(foreign)).toBe(true);
});

test.each([
  ["an ordinary error", new Error("x")],
  ["an object with the same fields", { name: "KeeplightError", code: "TIMEOUT", message: "Request timed out" }],
  ["nothing", undefined],
  ["null", null],
  ["a string", "KeeplightError"],
])("%s is not recognised as one", (_, value) => {
  expect(isKeeplightError(value)).toBe(false);
});

test("the brand is not enumerable", () => {
  expect(Object.getOwnPropertySymbols({ ...new KeeplightError("MISSING_TOKEN", "") })).toEqual([]);
});

test("resume of an UnfinishedError resolves with the result of the unfinished call", async () => {
  const error = new UnfinishedError<number, { by?: number }>("ABORTED", "stopped", {
    resume: async ({ by = 1 }) => 41 + by,
  });
  expect(await error.resume()).toBe(42);
  expect(await error.resume({ by: 2 })).toBe(43);
  expect(error.name).toBe("UnfinishedError");
});
