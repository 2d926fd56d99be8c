import type { KeeplightError } from "../../src/errors/base.ts";
import { kavachSetAccessConditions } from "../../src/kavach/access/set-access-conditions.ts";
import { failure } from "../support/failure.ts";

const cid = "bafkreifzjut3te2nhyekklss27nh3k72ysco7y32koao5eei66wof36n5e";

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
