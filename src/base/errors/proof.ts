import { KeeplightError } from "./base.ts";

/** @param problem - which part of the proof does not hold */
export function proofInvalid(
  problem: string,
  details: { field?: string; dealId?: number | string } = {},
): KeeplightError {
  return new KeeplightError("PROOF_INVALID", `The proof does not hold: ${problem}`, { details });
}
