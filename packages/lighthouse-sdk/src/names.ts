import { plain, toData } from "@keeplight/kavach/shared";
import { type IpnsRecord, ipnsGenerateKey, ipnsListRecords, ipnsPublishRecord, ipnsRemoveKey } from "keeplight";
import type { Complete } from "./types.ts";

/** Creates a name. */
export async function generateKey(apiKey: string): Promise<{ data: { ipnsName: string; ipnsId: string } }> {
  return toData(plain, (endpoints) => ipnsGenerateKey({ apiKey, endpoints }));
}

/** Publishes a content id under a name. */
export async function publishRecord(
  cid: string,
  key: string,
  apiKey: string,
): Promise<{ data: { Name: string; Value: string } }> {
  return toData(plain, (endpoints) => ipnsPublishRecord({ cid, keyName: key, apiKey, endpoints }));
}

/** Lists the names of the account. */
export async function getAllKeys(apiKey: string): Promise<{ data: Complete<IpnsRecord>[] }> {
  return toData(plain, (endpoints) => ipnsListRecords({ apiKey, endpoints }) as Promise<Complete<IpnsRecord>[]>);
}

/** Removes a name. */
export async function removeKey(
  key: string,
  apiKey: string,
): Promise<{ data: { Keys: { Name: string; Id: string }[] } }> {
  return toData(plain, (endpoints) => ipnsRemoveKey(key, { apiKey, endpoints }));
}
