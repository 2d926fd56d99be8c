import { expect, test } from "vitest";
import { readChanged, readFromThree, repeat } from "./faulty-reads.ts";

const READS = Number(process.env["KEEPLIGHT_READS"] ?? 30);
const CHANGES = Number(process.env["KEEPLIGHT_CHANGES"] ?? 120);

test(`${READS} of ${READS} files are right with one or two of three gateways down, slow or faulty`, async () => {
  await repeat(READS, readFromThree);
}, 1_800_000);

test(`${CHANGES} random bits that a gateway changes in files are noticed, or change nothing`, async () => {
  const refused = (await repeat(CHANGES, readChanged)).filter((isRefused) => isRefused).length;
  console.log(`${refused} of ${CHANGES} files were refused; in the others, nothing was changed`);
  expect(refused).toBeGreaterThan(CHANGES / 2);
}, 1_800_000);
