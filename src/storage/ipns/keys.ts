import * as z from "zod/mini";
import { nonEmpty } from "../../base/checks.ts";
import { type Operation, resolveOptions } from "../../base/operation.ts";
import { type BearerOptions, bearerSchema } from "../../base/options.ts";
import { arrayOfRows, requiredText, rowWith } from "../../base/validation/lenient.ts";
import { requestApi } from "../../network/http/api-client.ts";

/** A new name. Fields that are not listed here are kept unchanged. */
export interface IpnsKey {
  /** The `keyName` of the other calls. */
  ipnsName: string;
  /** The name itself: `<gateway>/ipns/<ipnsId>` shows what is published under it. */
  ipnsId: string;
  [field: string]: unknown;
}

/** A removed name. Fields that are not listed here are kept unchanged. */
export interface RemovedIpnsKey {
  /** Its name in the account: the `ipnsName`. */
  Name: string;
  /** Its public name: the `ipnsId`, `k51…`. */
  Id: string;
  [field: string]: unknown;
}

/** What was removed. */
export interface RemovedIpnsKeys {
  /** The removed key. */
  Keys: RemovedIpnsKey[];
  [field: string]: unknown;
}

const ipnsKey = rowWith<IpnsKey>({ ipnsName: requiredText, ipnsId: requiredText });
const removedKeys = z.looseObject({
  Keys: arrayOfRows(rowWith<RemovedIpnsKey>({ Name: requiredText, Id: requiredText })),
});

export const ipnsGenerateKeyOperation = { options: bearerSchema, at: 0 } satisfies Operation<BearerOptions>;

/**
 * Creates a name (IPNS) for the account; nothing is published under it yet.
 *
 * @throws `MISSING_API_KEY`, `HTTP_STATUS`, `INVALID_RESPONSE`; what every request may throw
 *
 * @example
 * const { ipnsName, ipnsId } = await ipnsGenerateKey({ apiKey });
 */
export async function ipnsGenerateKey(options: BearerOptions): Promise<IpnsKey> {
  return requestApi(resolveOptions(bearerSchema, options), {
    method: "GET",
    path: "/api/ipns/generate_key",
    once: true,
    schema: ipnsKey,
    what: "IPNS key",
  });
}

export const ipnsRemoveKeyOperation = { options: bearerSchema } satisfies Operation<BearerOptions>;

/**
 * Removes a name of the account. What was published under it can no longer be changed.
 *
 * @param keyName - the `ipnsName` that {@link ipnsGenerateKey} returned
 * @throws `INVALID_OPTION`, `MISSING_API_KEY`, `HTTP_STATUS` (500 for an unknown key), `INVALID_RESPONSE`; what
 * every request may throw
 */
export async function ipnsRemoveKey(keyName: string, options: BearerOptions): Promise<RemovedIpnsKeys> {
  const call = resolveOptions(bearerSchema, options);
  nonEmpty(keyName, "keyName");
  return requestApi(call, {
    method: "DELETE",
    path: "/api/ipns/remove_key",
    query: { keyName },
    schema: removedKeys,
    what: "confirmation that the IPNS key is removed",
  });
}
