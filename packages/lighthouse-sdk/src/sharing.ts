import type { AuthToken, ChainType } from "@keeplight/kavach";
import {
  accessControl,
  getAuthMessage as getKavachMessage,
  recoverKey,
  recoverShards,
  revokeAccess,
  shareToAddress,
} from "@keeplight/kavach";
import {
  type DynamicData,
  findAccessConditions,
  httpError,
  type Unchecked,
  withErrors,
} from "@keeplight/kavach/shared";

/** Allows other addresses to open a file. */
export async function shareFile(
  publicKey: string,
  shareTo: string[],
  cid: string,
  signedMessage: AuthToken,
): Promise<{ data: { cid: string; shareTo: string | string[]; status: string } }> {
  // Returned as they were when the file was shared.
  const addresses = Array.isArray(shareTo) ? [...shareTo] : shareTo;
  throwIfSet((await shareToAddress(publicKey, cid, signedMessage, addresses)).error);
  return { data: { cid, shareTo: addresses, status: "Success" } };
}

/** Ends the access of other addresses. */
export async function revokeFileAccess(
  publicKey: string,
  revokeTo: string | string[],
  cid: string,
  signedMessage: AuthToken,
): Promise<{ data: { cid: string; revokeTo: string | string[]; status: string } }> {
  const revoked = Array.isArray(revokeTo) ? [...revokeTo] : revokeTo;
  const addresses = Array.isArray(revoked) ? revoked : [revoked];
  throwIfSet((await revokeAccess(publicKey, cid, signedMessage, addresses)).error);
  return { data: { cid, revokeTo: revoked, status: "Success" } };
}

/** Recovers the key of a file. */
export async function fetchEncryptionKey(
  cid: string,
  publicKey: string,
  signedMessage: AuthToken,
  dynamicData: DynamicData = {},
  shardCount = 3,
): Promise<{ data: { key: string | null } }> {
  const { shards, error } = await recoverShards(publicKey, cid, signedMessage, shardCount, dynamicData);
  throwIfSet(error);
  const recovered = await recoverKey(shards);
  throwIfSet(recovered.error);
  return { data: { key: recovered.masterKey } };
}

/** Sets the conditions under which others may open a file. */
export async function applyAccessCondition(
  publicKey: string,
  cid: string,
  signedMessage: AuthToken,
  conditions: Unchecked,
  aggregator?: string,
  chainType: ChainType = "evm",
): Promise<{ data: { cid: string; status: string } }> {
  const { error } = await accessControl(publicKey, cid, signedMessage, conditions, aggregator, chainType);
  if (error) throw new Error(typeof error === "string" ? error : JSON.stringify(error), { cause: error.cause });
  return { data: { cid, status: "Success" } };
}

/** Returns who may open a file; `null` if the key nodes do not know it. */
export async function getAccessConditions(cid: string): Promise<{ data: Unchecked }> {
  return withErrors(httpError, async () => ({ data: await findAccessConditions(cid) }));
}

/** Returns the message to sign as proof of owning an address. */
export async function getAuthMessage(publicKey: string): Promise<{ data: { message: string | null } }> {
  const { message, error } = await getKavachMessage(publicKey);
  if (error?.message === "Invalid address") throw new Error("Invalid public Key", { cause: error.cause });
  throwIfSet(error);
  return { data: { message } };
}

/** These calls throw what kavach returns: a string, or an object with a message. */
function throwIfSet(error: unknown): void {
  if (error) throw error;
}
