import { expect, test } from "vitest";
import { readChanged, readFromThree, repeat } from "./faulty-reads.ts";

test("20 of 20 files are right with one or two of three gateways down, slow or faulty", async () => {
  await repeat(20, readFromThree);
});

test("20 random bits that a gateway changes are noticed, or change nothing", async () => {
  expect((await repeat(20, readChanged)).filter((isRefused) => isRefused).length).toBeGreaterThan(10);
});
