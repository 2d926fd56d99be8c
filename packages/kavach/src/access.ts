import {
  isKeeplightError,
  kavachGetAccessConditions,
  kavachRevoke,
  kavachSetAccessConditions,
  kavachShare,
  kavachTransferOwnership,
  type SetAccessConditionsOptions,
} from "keeplight";
import { type ErrorForm, orErrorValue, withErrors } from "./errors.ts";
import { getKeyNodeOptions } from "./settings.ts";
import type {
  AuthToken,
  ChainType,
  Condition,
  DecryptionType,
  IGetAccessCondition,
  KeyShard,
  LightHouseSDKResponse,
  Unchecked,
} from "./types.ts";

type Addresses = [string, ...string[]];
type Owner = { address: string; authToken: string };
type OwnerCall = (owner: Owner) => Promise<unknown>;

/** Allows other addresses to open a file. */
export async function shareToAddress(
  address: string,
  cid: string,
  auth_token: AuthToken,
  shareTo: string[],
): Promise<LightHouseSDKResponse> {
  const share = (owner: Owner) => kavachShare(cid, { ...owner, shareTo: shareTo as Addresses });
  return callAsOwner(address, auth_token, share, true);
}

/** Ends the access of other addresses. */
export async function revokeAccess(
  address: string,
  cid: string,
  auth_token: AuthToken,
  revokeTo: string[],
): Promise<LightHouseSDKResponse> {
  const revoke = (owner: Owner) => kavachRevoke(cid, { ...owner, revokeTo: revokeTo as Addresses });
  return callAsOwner(address, auth_token, revoke);
}

/** Transfers a file to another owner. */
export async function transferOwnership(
  address: string,
  cid: string,
  newOwner: string,
  auth_token: AuthToken,
  resetSharedTo = true,
): Promise<LightHouseSDKResponse> {
  const transfer = (owner: Owner) => kavachTransferOwnership(cid, { ...owner, newOwner, resetSharedTo });
  return callAsOwner(address, auth_token, transfer);
}

/**
 * Sets the conditions under which others may open a file: with its `keyShards` for a new file, without them to replace
 * the conditions of a known one.
 */
export async function accessControl(
  address: string,
  cid: string,
  auth_token: AuthToken,
  conditions: Condition[],
  aggregator?: string,
  chainType: ChainType = "evm",
  keyShards: KeyShard[] = [],
  decryptionType: DecryptionType = "ADDRESS",
): Promise<LightHouseSDKResponse> {
  const rule = { ...toAccessRule(conditions, aggregator, chainType), keyShards, decryptionType };
  return callAsOwner(address, auth_token, (owner) =>
    kavachSetAccessConditions(cid, { ...owner, ...rule } as unknown as SetAccessConditionsOptions),
  );
}

/** Returns who may open a file; `null` if the key nodes do not know it. */
export async function getAccessCondition(cid: string): Promise<{ data: IGetAccessCondition }> {
  return withErrors(refusalAsJson, async () => ({ data: await findAccessConditions(cid) }));
}

/** A refusal is thrown as the JSON of the nodes' body. */
const refusalAsJson: ErrorForm = (error) => {
  const statusCode = error.details["status"];
  const message = statusCode === undefined ? error.message : JSON.stringify({ message: error.message, statusCode });
  return new Error(message, { cause: error });
};

/** Returns who may open a file, in the form of the key nodes' response. */
export async function findAccessConditions(cid: string): Promise<Unchecked> {
  try {
    return await kavachGetAccessConditions(cid, getKeyNodeOptions());
  } catch (error) {
    if (isKeeplightError(error, "CID_NOT_FOUND")) return null;
    throw error;
  }
}

/** Runs a call of an owner to all five nodes. */
export function callAsOwner(address: string, authToken: string, call: OwnerCall, flat = false) {
  return orErrorValue<LightHouseSDKResponse>(
    async () => {
      await call({ ...getKeyNodeOptions(), address, authToken });
      return { isSuccess: true, error: null };
    },
    (error) => ({ isSuccess: false, error }),
    flat,
  );
}

/**
 * Converts conditions that the incumbent accepts and the kit does not, where both mean the same: numbers as strings,
 * types of arguments where there is no method of one's own to call, and an aggregator of a single condition.
 */
function toAccessRule(conditions: unknown, aggregator: unknown, chainType: unknown) {
  const list = Array.isArray(conditions) ? conditions.map(toCondition) : conditions;
  const combines = !Array.isArray(list) || list.length > 1;
  return { conditions: list, chainType, ...(combines && aggregator != null ? { aggregator } : {}) };
}

function toCondition(condition: unknown): unknown {
  if (typeof condition !== "object" || condition === null) return condition;
  const { inputArrayType, outputType, pdaInterface, ...rest } = condition as Record<string, unknown>;
  const isCustom = /^custom$/i.test(String(rest["standardContractType"]));
  return {
    ...rest,
    id: toNumber(rest["id"]),
    ...(isCustom ? { inputArrayType, outputType } : {}),
    ...(pdaInterface === undefined ? {} : { pdaInterface: toPdaInterface(pdaInterface) }),
  };
}

function toPdaInterface(value: unknown): unknown {
  const hasOffset = typeof value === "object" && value !== null && "offset" in value;
  return hasOffset ? { ...value, offset: toNumber(value.offset) } : value;
}

function toNumber(value: unknown): unknown {
  return typeof value === "string" && /^\d+$/.test(value) ? Number(value) : value;
}
