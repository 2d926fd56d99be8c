import { createRequire } from "node:module";
import type * as theirKavach from "@lighthouse-web3/kavach";
import type * as theirLighthouse from "@lighthouse-web3/sdk";
import { describe, expect, test } from "vitest";
import * as kavach from "../../kavach/src/index.ts";
import * as lighthouse from "../src/index.ts";

// What `tsc` checks: every call accepts the parameters of the incumbent's, and returns the same keys and types.

type Names<Calls> = Exclude<keyof Calls, "default">;
type IsAny<T> = 0 extends 1 & T ? true : false;
type Flat<T> = IsAny<T> extends true ? T : T extends object ? { [Key in keyof T]: Flat<T[Key]> } : T;
type Same<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false;
type Result<Call> = Call extends (...args: never[]) => Promise<infer Value> ? Flat<Value> : never;
type Accepts<Ours, Theirs> = Theirs extends (...args: infer Args) => unknown
  ? Ours extends (...args: Args) => unknown
    ? Parameters<Ours>["length"] extends Args["length"]
      ? true
      : false
    : false
  : false;

/** Names of the calls whose types differ: an error for `tsc` if there is one. */
type Different<Theirs, Ours> = {
  [Name in Names<Theirs>]: Name extends keyof Ours
    ? Accepts<Ours[Name], Theirs[Name]> extends true
      ? Same<Result<Ours[Name]>, Result<Theirs[Name]>> extends true
        ? never
        : Name
      : Name
    : Name;
}[Names<Theirs>];

type None<Different extends never> = Different;
type DifferentCalls =
  | None<Different<typeof theirLighthouse, typeof lighthouse>>
  | None<Different<typeof theirLighthouse.default, typeof lighthouse.default>>
  | None<Different<typeof theirKavach, typeof kavach>>
  | None<Different<typeof theirKavach.default, typeof kavach.default>>;

const different: DifferentCalls[] = [];

const require = createRequire(import.meta.url);
const namesOf = (calls: object) =>
  Object.keys(calls)
    .filter((name) => name !== "default")
    .sort();

test("no call has other types than the incumbent's", () => {
  expect(different).toEqual([]);
});

describe.each([
  {
    specifier: "@lighthouse-web3/sdk",
    ours: lighthouse,
    count: 27,
    older: ["fund", "getPrice", "oneTimeAuth", "posdi"],
  },
  { specifier: "@lighthouse-web3/kavach", ours: kavach, count: 12, older: [] },
])("$specifier", ({ specifier, ours, count, older }) => {
  test("has the same calls here, and those of version 0.4.3", () => {
    const theirs = namesOf(require(specifier));
    expect(theirs).toHaveLength(count);
    expect(namesOf(ours)).toEqual([...theirs, ...older].sort());
  });

  test("has all calls in its default export, too", () => {
    expect(namesOf(ours.default)).toEqual(namesOf(ours));
    for (const name of namesOf(ours)) expect(ours.default[name as never], name).toBe(ours[name as never]);
  });
});
