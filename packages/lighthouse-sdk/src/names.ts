import { getEndpoints, plain, withErrors } from "@keeplight/kavach/shared";
import { ipnsGenerateKey, ipnsListRecords, ipnsPublishRecord, ipnsRemoveKey } from "keeplight";

/** A name and what is published under it. */
type NameRecord = {
  ipnsName: string;
  ipnsId: string;
  publicKey: string;
  cid: string;
  lastUpdate: number;
};

/** Creates a name. */
export async function generateKey(apiKey: string): Promise<{ data: { ipnsName: string; ipnsId: string } }> {
  return { data: await withErrors(plain, () => ipnsGenerateKey({ apiKey, endpoints: getEndpoints() })) };
}

/** Publishes a content id under a name. */
export async function publishRecord(
  cid: string,
  key: string,
  apiKey: string,
): Promise<{ data: { Name: string; Value: string } }> {
  const options = { cid, keyName: key, apiKey, endpoints: getEndpoints() };
  return { data: await withErrors(plain, () => ipnsPublishRecord(options)) };
}

/** Lists the names of the account. */
export async function getAllKeys(apiKey: string): Promise<{ data: NameRecord[] }> {
  const records = await withErrors(plain, () => ipnsListRecords({ apiKey, endpoints: getEndpoints() }));
  return { data: records as NameRecord[] };
}

/** Removes a name. */
export async function removeKey(
  key: string,
  apiKey: string,
): Promise<{ data: { Keys: { Name: string; Id: string }[] } }> {
  return { data: await withErrors(plain, () => ipnsRemoveKey(key, { apiKey, endpoints: getEndpoints() })) };
}
