import { Wallet } from "ethers";
import type { Devnet } from "../../packages/devnet/src/index.ts";
import { createShareLink, makeRecoveryKit } from "../../packages/recovery/src/index.ts";
import {
  commitToKey,
  createRecoveryIdentity,
  decrypt,
  download,
  iterateFiles,
  kavachRecoverKey,
  kavachRecoverShards,
  kavachShare,
  type ListedFile,
  type RecoveredShard,
  uploadEncrypted,
} from "../../src/index.ts";
import { choose } from "../kavach/shard-tools.ts";
import { account, getApiKey } from "../support/devnet-wire.ts";

/** Wallets of a devnet, by what they are to the attacked file. */
const people = { owner: 0, friend: 1, stranger: 2, newcomer: 3, heir: 4 };
export type Person = keyof typeof people;

/** The options of each person's calls: one signer each, which keeps its session. */
type People = Record<Person, { signer: Wallet; endpoints: Devnet["endpoints"]; pauseMs: 0; attempts: 1 }>;

/** An encrypted file of the owner that is shared to the friend, and everything that is known of it before an attack. */
export interface Target {
  cid: string;
  name: string;
  text: string;
  masterKey: string;
  shards: readonly RecoveredShard[];
  commitment: string;
  /** As stored. */
  encrypted: Uint8Array;
  link: string;
  kit: Uint8Array<ArrayBuffer>;
}

export interface Rig {
  devnet: Devnet;
  people: People;
  apiKey: string;
  identity: string;
  recipient: string;
  target: Target;
  /** Another file of the same owner. */
  other: Target;
}

/** Names differ, so that listings of all tests on a devnet can be distinguished. */
let files = 0;

export async function createRig(devnet: Devnet): Promise<Omit<Rig, "target">> {
  const { endpoints } = devnet;
  const entries = Object.entries(people).map(([person, n]) => {
    const signer = new Wallet(account(devnet, n).privateKey);
    return [person, { signer, endpoints, pauseMs: 0, attempts: 1 }];
  });
  const apiKey = await getApiKey(devnet, account(devnet, people.owner));
  const { identity, recipient } = await createRecoveryIdentity();
  const rig = { devnet, people: Object.fromEntries(entries) as People, apiKey, identity, recipient };
  return { ...rig, other: await createTarget(rig, { bytes: 200 }) };
}

/** Uploads a file, or takes one that is stored, and records the truth about it. */
export async function createTarget(
  { people, apiKey, recipient }: Pick<Rig, "people" | "apiKey" | "recipient">,
  { bytes = 100, stored }: { bytes?: number; stored?: { cid: string; name: string } } = {},
): Promise<Target> {
  const { owner, friend } = people;
  const name = stored?.name ?? `letter-${++files}.txt`;
  const file = new File([name.padEnd(bytes, ".")], name, { type: "text/plain" });
  const cid = stored?.cid ?? (await uploadEncrypted(file, { ...owner, apiKey }))[0].Hash;
  await kavachShare(cid, { ...owner, shareTo: friend.signer.address });
  const { shards } = await kavachRecoverShards(cid, { ...owner, count: 5 });
  const { masterKey } = await kavachRecoverKey(shards, { strict: true });
  return {
    cid,
    name,
    text: new TextDecoder().decode(await decrypt(cid, { key: masterKey, endpoints: owner.endpoints })),
    masterKey,
    shards,
    commitment: await commitToKey(cid, masterKey),
    encrypted: await download(cid, { endpoints: owner.endpoints }),
    link: await createShareLink(cid, { key: masterKey, page: "https://app.example/open" }),
    kit: (await makeRecoveryKit([cid], { ...owner, recipients: recipient })).kit,
  };
}

/** Whether a person can open the file: any three of the shards that the nodes return to them recover the key. */
export async function canOpen({ people, target }: Rig, person: Person): Promise<boolean> {
  const { cid, masterKey } = target;
  for (const count of [5, 4, 3]) {
    const { shards } = await kavachRecoverShards(cid, { ...people[person], count }).catch(() => ({ shards: [] }));
    for (const three of choose(shards, 3)) {
      const recovered = await kavachRecoverKey(three).catch(() => undefined);
      if (recovered?.masterKey === masterKey) return true;
    }
  }
  return false;
}

/** Returns the rows of the owner's listing, all pages. */
export async function listAll({ people, apiKey }: Pick<Rig, "people" | "apiKey">): Promise<ListedFile[]> {
  const rows: ListedFile[] = [];
  for await (const row of iterateFiles({ apiKey, endpoints: people.owner.endpoints })) rows.push(row);
  return rows;
}
