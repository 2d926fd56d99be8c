import { toAggregator, toChainType, toConditions } from "../arguments/conditions.ts";
import { toAddresses, toNothing } from "../arguments/convert.ts";
import { checkShardUses, toFiveShards, toShards, toShareTo } from "../arguments/shards.ts";
import { ByHand } from "../by-hand.ts";
import { argumentOf, type Call } from "../call.ts";
import { isType } from "../syntax/node.ts";
import type { Parameter, ResultRule, Rule, Table } from "./types.ts";

const address: Parameter = { name: "address", option: "address" };
const cid: Parameter = { name: "cid" };
const authToken: Parameter = { name: "auth_token", option: "authToken" };
const threshold: Parameter = { name: "threshold", option: "threshold", optional: true };
const keyCount: Parameter = { name: "keyCount", option: "keyCount", optional: true };

/** The kit throws, and returns `nodesDone`. */
const done: ResultRule = { path: [], fields: {}, failures: ["isSuccess", "error"] };

function rule(to: string, parameters: readonly Parameter[], result: ResultRule): Rule {
  return { to, parameters, result };
}

/** The calls of `@lighthouse-web3/kavach` 0.2.1. */
export const kavachTable: Table = {
  generate: rule("kavachGenerate", [threshold, keyCount], { same: true }),
  shardKey: rule("kavachShardKey", [{ name: "key" }, threshold, keyCount], {
    path: [],
    fields: { keyShards: "keyShards" },
    failures: ["isShardable"],
    sameTypes: "all",
  }),
  recoverKey: rule("kavachRecoverKey", [{ name: "keyShards", convert: toShards }], {
    path: [],
    fields: { masterKey: "masterKey" },
    failures: ["error"],
    sameTypes: "all",
  }),
  getAuthMessage: rule("kavachGetAuthMessage", [{ name: "address" }], {
    path: [],
    fields: { message: "message" },
    failures: ["error"],
    sameTypes: "all",
  }),
  getJWT: toJwtRule,
  saveShards: rule(
    "kavachSaveShards",
    [
      address,
      cid,
      authToken,
      { name: "keyShards", option: "keyShards", convert: toFiveShards },
      { name: "shareTo", option: "shareTo", optional: true, convert: toShareTo },
    ],
    done,
  ),
  recoverShards: rule(
    "kavachRecoverShards",
    [
      address,
      cid,
      authToken,
      { name: "numOfShards", option: "count", optional: true },
      { name: "dynamicData", option: "dynamicData", optional: true },
    ],
    { path: [], fields: { shards: "shards" }, failures: ["error"], sameTypes: "all", check: checkShardUses },
  ),
  shareToAddress: rule(
    "kavachShare",
    [address, cid, authToken, { name: "shareTo", option: "shareTo", convert: toAddresses }],
    done,
  ),
  revokeAccess: rule(
    "kavachRevoke",
    [address, cid, authToken, { name: "revokeTo", option: "revokeTo", convert: toAddresses }],
    done,
  ),
  transferOwnership: rule(
    "kavachTransferOwnership",
    [
      address,
      cid,
      { name: "newOwner", option: "newOwner" },
      authToken,
      { name: "resetSharedTo", option: "resetSharedTo", optional: true },
    ],
    done,
  ),
  accessControl: rule(
    "kavachSetAccessConditions",
    [
      address,
      cid,
      authToken,
      { name: "conditions", option: "conditions", convert: toConditions },
      { name: "aggregator", option: "aggregator", optional: true, convert: toAggregator(3) },
      { name: "chainType", option: "chainType", optional: true, convert: toChainType },
      { name: "keyShards", option: "keyShards", optional: true, convert: toFiveShards },
      { name: "decryptionType", option: "decryptionType", optional: true },
    ],
    done,
  ),
  getAccessCondition: rule("kavachGetAccessConditions", [cid], {
    mayFail: true,
    sameTypes: ["owner", "cid", "aggregator", "sharedTo"],
  }),
};

/** `getJWT`: by a signature, or by a refresh token. */
function toJwtRule(call: Call): Rule {
  const kind = argumentOf(call, 2);
  if (kind && !isType(kind, "BooleanLiteral"))
    throw new ByHand("whether it takes a signature or a refresh token is not certain", kind);
  const isRefresh = kind?.["value"] === true;
  const without = toNothing("it is computed, and has no meaning to keeplight");
  return {
    to: isRefresh ? "kavachRefreshJwt" : "kavachGetJwt",
    parameters: [
      { name: "address" },
      { name: "payload", option: isRefresh ? "refreshToken" : "signature" },
      { name: "useAsRefreshToken", option: "useAsRefreshToken", optional: true, convert: without },
      { name: "chain", option: "chain", optional: true, ...(isRefresh ? { convert: without } : {}) },
    ],
    result: {
      path: [],
      fields: { JWT: "token", refreshToken: "refreshToken" },
      failures: ["error"],
      sameTypes: "all",
    },
  };
}
