import type { KeeplightError } from "../../src/base/errors/base.ts";
import { kavachSetAccessConditions } from "../../src/keys/access/set-access-conditions.ts";
import { failure } from "../support/failure.ts";
import { cid } from "../support/fixtures.ts";

/** A closed port: anything that is sent fails with another code. */
const nobody = { address: `0x${"0".repeat(40)}`, authToken: "jwt:none", endpoints: { keyNodes: "http://127.0.0.1:1" } };

/** Returns the error of setting these conditions before anything is sent. */
export function refusal(
  conditions: unknown,
  chainType?: unknown,
  aggregator?: unknown,
  decryptionType?: unknown,
): Promise<KeeplightError> {
  const options = { ...nobody, conditions, chainType, aggregator, decryptionType } as never;
  return failure(kavachSetAccessConditions(cid, options));
}
