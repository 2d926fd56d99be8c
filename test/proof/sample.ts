import { existsSync, readFileSync } from "node:fs";
import { test } from "vitest";
import type { ProofAnswer } from "../../src/proof/read-proof.ts";

const file = new URL("../../../shared/vectors/podsi-calibration.json", import.meta.url);

/**
 * The proof of a real deal on calibration. It lives beside the repository; where it is absent this adds one
 * skipped test whose name says so, and gives none.
 */
export function calibrationSample(): ProofAnswer | undefined {
  if (existsSync(file)) return JSON.parse(readFileSync(file, "utf8")) as ProofAnswer;
  test.skip("The sample proof is absent: ../shared/vectors/podsi-calibration.json");
  return undefined;
}
