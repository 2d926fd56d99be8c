import * as z from "zod/mini";
import { LIST_RESPONSE_BYTES } from "../../base/config/limits.ts";
import { invalidResponse } from "../../base/errors/transport.ts";
import { nonEmpty, type Operation, resolveOptions } from "../../base/operation.ts";
import { type BearerOptions, bearerSchema } from "../../base/options.ts";
import { arrayOfRows, optional, requiredText, rowWith, text, time } from "../../base/validation/schema.ts";
import { checkCid, isSameCid } from "../../formats/cid/content-id.ts";
import { requestApi } from "../../network/http/api-client.ts";

/** A name. Fields that are not listed here are kept unchanged. */
export interface IpnsKey {
  /** The `keyName` of the other calls. Empty if the network sends none. */
  ipnsName: string;
  /** The name itself: `<gateway>/ipns/<ipnsId>` shows what is published under it. Empty if the network sends none. */
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

const keyFields = { ipnsName: requiredText, ipnsId: requiredText };
const ipnsKey = rowWith<IpnsKey>(keyFields);
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

/** A name and what is published under it. Fields that are not listed here are kept unchanged. */
export interface IpnsRecord extends IpnsKey {
  /** What is published under it, if anything is. */
  cid?: string | null | undefined;
  /** Address of the account. */
  publicKey?: string | null | undefined;
  /** Milliseconds since 1970. */
  lastUpdate?: number | null | undefined;
}

/** What a name points to now. Fields that are not listed here are kept unchanged. */
export interface PublishedRecord {
  /** The IPNS id. */
  Name: string;
  /** What it points to now: `/ipfs/<cid>`, the content id in any form. Empty if the network sends none. */
  Value: string;
  [field: string]: unknown;
}

const ipnsRecord = rowWith<IpnsRecord>({
  ...keyFields,
  cid: optional(text),
  publicKey: optional(text),
  lastUpdate: optional(time),
});
const published = rowWith<PublishedRecord>({ Name: requiredText, Value: requiredText });

export const ipnsListRecordsOperation = { options: bearerSchema, at: 0 } satisfies Operation<BearerOptions>;

/**
 * Lists the names of the account and what is published under them.
 *
 * @throws `MISSING_API_KEY`, `HTTP_STATUS`, `INVALID_RESPONSE`; what every request may throw
 */
export async function ipnsListRecords(options: BearerOptions): Promise<IpnsRecord[]> {
  return requestApi(resolveOptions(bearerSchema, options), {
    method: "GET",
    path: "/api/ipns/get_ipns_records",
    maxBytes: LIST_RESPONSE_BYTES,
    schema: arrayOfRows(ipnsRecord),
    what: "list of IPNS records",
  });
}

/** Options of {@link ipnsPublishRecord}. */
export interface IpnsPublishOptions extends BearerOptions {
  /** Content id to publish. */
  cid: string;
  /** The `ipnsName` that {@link ipnsGenerateKey} returned. */
  keyName: string;
}

const PUBLISH_PATH = "/api/ipns/publish_record";

export const ipnsPublishRecordOperation = {
  options: { ...bearerSchema, cid: checkCid, keyName: nonEmpty },
  at: 0,
} satisfies Operation<IpnsPublishOptions>;

/**
 * Publishes a content id under a name of the account, replacing the previous one.
 *
 * @throws `INVALID_CID`, `INVALID_OPTION`, `MISSING_API_KEY`, `HTTP_STATUS` (500 for an unknown key),
 * `INVALID_RESPONSE`, also for the confirmation of another content id; what every request may throw
 *
 * @example
 * const { ipnsName, ipnsId } = await ipnsGenerateKey({ apiKey });
 * await ipnsPublishRecord({ cid, keyName: ipnsName, apiKey });
 * console.log(`https://gateway.lighthouse.storage/ipns/${ipnsId}`);
 */
export async function ipnsPublishRecord(options: IpnsPublishOptions): Promise<PublishedRecord> {
  const { cid, keyName, ...call } = resolveOptions(ipnsPublishRecordOperation.options, options);
  const record = await requestApi(call, {
    method: "GET",
    path: PUBLISH_PATH,
    query: { cid, keyName },
    schema: published,
    what: "confirmation that the record is published",
  });
  const { Value } = record;
  if (Value !== "" && !isSameCid(Value.replace(/^\/ipfs\//, ""), cid)) {
    throw invalidResponse({ method: "GET", url: PUBLISH_PATH }, "The network confirmed another content id");
  }
  return record;
}
