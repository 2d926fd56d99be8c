import { verifyProof } from "../../packages/proof/src/index.ts";
import {
  type EvmCondition,
  type FiveShards,
  getQuote,
  isKeeplightError,
  isUnfinished,
  type KeyHealth,
  type KeyShard,
  kavachGenerate,
  kavachRecoverKey,
  kavachRecoverShards,
  kavachRevoke,
  kavachSaveShards,
  kavachSetAccessConditions,
  kavachShardKey,
  kavachShare,
  openJournal,
  type Payment,
  type Signer,
  upload,
  uploadEncrypted,
} from "../../src/index.ts";
import { cid } from "../support/fixtures.ts";

// Compiled by `npm run typecheck`, never run.

declare const signer: Signer;
declare const conditions: EvmCondition[];
declare const apiKey: string;

export async function splitsAKeyForFiveNodes(count: number): Promise<void> {
  const { keyShards } = await kavachGenerate({ threshold: 4 });
  keyShards satisfies FiveShards;
  await kavachSaveShards(cid, { signer, keyShards });
  await kavachSetAccessConditions(cid, { signer, conditions, keyShards: [] });
  (await kavachShardKey("0b".repeat(32), { keyCount: 5 })).keyShards satisfies FiveShards;

  const { keyShards: some } = await kavachGenerate({ keyCount: count });
  some satisfies [KeyShard, KeyShard, ...KeyShard[]];
  await kavachRecoverKey(some);
  // @ts-expect-error: there may not be five
  await kavachSaveShards(cid, { signer, keyShards: some });
  // @ts-expect-error: there are four
  await kavachSaveShards(cid, { signer, keyShards: keyShards.slice(1) });
}

/** Results that always have an item have it in their type. */
export async function hasAnItem(health: KeyHealth, payment: Payment, response: never): Promise<void> {
  health.nodes[4].state satisfies string;
  payment.transactions[0].hash satisfies string;
  const { shards } = await kavachRecoverShards(cid, { signer });
  shards[1].node satisfies number;
  const { metaData } = await getQuote("./photos");
  metaData[0].fileName satisfies string;
  const { deals } = await verifyProof(response);
  deals[0].dealId satisfies number | string;
}

export function hasAProblem(error: unknown): void {
  if (isKeeplightError(error, "INVALID_CONDITION")) error.details.problems[0].expected satisfies string;
}

export async function takesAnyList(friends: string[], shards: KeyShard[], files: File[]): Promise<void> {
  await kavachShare(cid, { signer, shareTo: friends });
  await kavachRevoke(cid, { signer, revokeTo: friends });
  await kavachRecoverKey(shards);
  await upload(files, { apiKey });
  await uploadEncrypted(files, { apiKey, signer });
}

export async function refusesAnEmptyLiteral(): Promise<void> {
  // @ts-expect-error: no shards
  await kavachRecoverKey([]);
  // @ts-expect-error: no files
  await upload([], { apiKey });
  // @ts-expect-error: no files
  await uploadEncrypted([], { apiKey, signer });
}

export async function refusesWrongPlaces(): Promise<void> {
  // @ts-expect-error: nowhere
  await openJournal({});
  // @ts-expect-error: a folder or a database
  await openJournal({ folder: "./journal", name: "journal" });
  // @ts-expect-error: of five shards, nine are required
  await kavachGenerate({ threshold: 9 });
}

export async function resumes(error: unknown): Promise<void> {
  if (isUnfinished(error)) await error.resume({ apiKey });
}
