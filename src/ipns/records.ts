import * as z from "zod/mini";
import { askApi } from "../http/api-host.ts";
import { checkOptions } from "../input/check-options.ts";
import { checkCid } from "../input/cid.ts";
import { checkText } from "../input/text.ts";
import { type BearerOptions, bearerOptionNames, requireApiKey, resolveCall } from "../options.ts";

const ipnsRecord = z.looseObject({
  /** What the other calls take as `keyName`. */
  ipnsName: z.string(),
  /** The name itself: `<gateway>/ipns/<ipnsId>` shows what is published under it. */
  ipnsId: z.string(),
  /** What is published under it, if anything is. */
  cid: z.optional(z.nullable(z.string())),
  /** Address of the account. */
  publicKey: z.optional(z.string()),
  /** Milliseconds since 1970. */
  lastUpdate: z.optional(z.nullable(z.number())),
});

/** A name and what is published under it. Fields beyond these are kept as they come. */
export type IpnsRecord = z.infer<typeof ipnsRecord>;

const published = z.looseObject({
  /** The IPNS id. */
  Name: z.string(),
  /** What it stands for now: `/ipfs/<cid>`. */
  Value: z.string(),
});

/** What a name stands for now. */
export type PublishedRecord = z.infer<typeof published>;

/**
 * The names of the account and what is published under them.
 *
 * @throws `MISSING_API_KEY`, `HTTP_STATUS`, `INVALID_ANSWER`; what every request may throw
 */
export async function ipnsListRecords(options: BearerOptions = {}): Promise<IpnsRecord[]> {
  checkOptions(options, bearerOptionNames);
  const bearer = requireApiKey(options);
  return askApi(resolveCall(options), {
    method: "GET",
    path: "/api/ipns/get_ipns_records",
    bearer,
    schema: z.array(ipnsRecord),
    what: "list of IPNS records",
  });
}

/** Options of {@link ipnsPublishRecord}. */
export interface IpnsPublishOptions extends BearerOptions {
  /** Content id to publish. */
  cid: string;
  /** The `ipnsName` that {@link ipnsGenerateKey} gave. */
  keyName: string;
}

export const ipnsPublishNames = [bearerOptionNames, "cid,keyName"] as const;

/**
 * Publishes a content id under a name of the account, in place of what was there.
 *
 * @throws `INVALID_CID`, `INVALID_OPTION`, `MISSING_API_KEY`, `HTTP_STATUS` (500 for an unknown key),
 * `INVALID_ANSWER`; what every request may throw
 *
 * @example
 * const { ipnsName, ipnsId } = await ipnsGenerateKey({ apiKey });
 * await ipnsPublishRecord({ cid, keyName: ipnsName, apiKey });
 * console.log(`https://gateway.lighthouse.storage/ipns/${ipnsId}`);
 */
export async function ipnsPublishRecord(options: IpnsPublishOptions): Promise<PublishedRecord> {
  checkOptions(options, ipnsPublishNames);
  const cid = checkCid(options?.cid);
  const keyName = checkText("keyName", options.keyName);
  const bearer = requireApiKey(options);
  return askApi(resolveCall(options), {
    method: "GET",
    path: "/api/ipns/publish_record",
    query: { cid, keyName },
    bearer,
    schema: published,
    what: "word that the record is published",
  });
}
