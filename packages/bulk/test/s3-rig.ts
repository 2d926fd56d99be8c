import { join } from "node:path";
import { expect, onTestFinished } from "vitest";
import { decrypt, download, iterateFiles } from "../../../src/index.ts";
import { as } from "../../../test/kavach/saved-keys.ts";
import { account, getApiKey } from "../../../test/support/devnet-wire.ts";
import { scratch } from "../../../test/support/files.ts";
import { readObject } from "../../../test/support/s3-objects.ts";
import { type S3Faults, type S3Server, startS3Server } from "../../../test/support/s3-server.ts";
import type { Devnet } from "../../devnet/src/index.ts";
import { openSource } from "../../s3/test/client.ts";
import { planBulk } from "../src/index.ts";
import type { LedgerRow } from "../src/ledger/ledger.ts";
import { toOwner } from "./rig.ts";

let datasets = 0;

/** Returns keys in folders of a hundred; no other dataset has the same. */
export function createKeys(count: number): string[] {
  const dataset = `set${datasets++}`;
  return Array.from({ length: count }, (_, at) => {
    const folder = String(Math.floor(at / 100)).padStart(4, "0");
    return `${dataset}/${folder}/f${String(at).padStart(6, "0")}-1000b.bin`;
  });
}

/** Starts a server with one bucket for the running test; returns what plans and runs it. */
export async function openBucket(devnet: Devnet, keys: readonly string[], { pageSize = 1_000 } = {}) {
  const server = await startS3Server({ keys, pageSize });
  onTestFinished(() => server.close());
  const source = openSource(server);
  const apiKey = await getApiKey(devnet, account(devnet, 0));
  return {
    server,
    source,
    plan: async ({ encrypted = false } = {}) => {
      const options = { folder: join(await scratch(), "plan"), encrypted, oneKeyPerBatch: encrypted };
      return (await planBulk(source, options)).plan;
    },
    upload: { apiKey, endpoints: devnet.endpoints },
    owner: { apiKey, ...toOwner(devnet, 0) },
  };
}

/** Every row has a content id under which the network has the bytes of its object. */
export async function expectObjects(
  devnet: Devnet,
  server: S3Server,
  rows: readonly LedgerRow[],
  encrypted = false,
): Promise<void> {
  const wrong: string[] = [];
  const left = rows.values();
  const work = async () => {
    for (const { path, cid = "" } of left) {
      const object = server.objects.find(path);
      const got = encrypted ? decrypt(cid, as(devnet, 0)) : download(cid, { endpoints: devnet.endpoints });
      if (!object || !readObject(object).equals(await got)) wrong.push(path);
    }
  };
  await Promise.all(Array.from({ length: 8 }, work));
  expect(wrong).toEqual([]);
}

/** Lists the content ids of what the account has stored, one for each upload that the node has carried out. */
export async function listStoredCids(devnet: Devnet, apiKey: string): Promise<string[]> {
  const cids: string[] = [];
  for await (const { cid } of iterateFiles({ apiKey, endpoints: devnet.endpoints, maxRows: 1_000_000 })) cids.push(cid);
  return cids;
}

/** Lets a fault happen to the first so many requests for which a condition holds. */
export function firstTimes(times: number, faults: S3Faults): S3Faults {
  let left = times;
  return (request) => {
    const fault = left > 0 ? faults(request) : undefined;
    if (fault) left--;
    return fault;
  };
}
