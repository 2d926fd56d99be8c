import { randomBytes } from "node:crypto";
import { Wallet } from "ethers";
import type { Devnet } from "../../packages/devnet/src/index.ts";
import { encodeCid, formatCid } from "../../src/formats/cid/content-id.ts";
import { kavachSaveShards } from "../../src/keys/file-keys/save-shards.ts";
import { kavachGenerate } from "../../src/keys/shards/generate.ts";
import type { FiveShards, ShardScheme } from "../../src/keys/shards/schemes.ts";
import { account } from "../support/devnet-wire.ts";

/** Options of a call to the devnet's key nodes by its nth wallet. */
export function as(devnet: Devnet, n: number) {
  const signer = new Wallet(account(devnet, n).privateKey);
  return { signer, endpoints: devnet.endpoints, pauseMs: 0, retryMs: 0 };
}

/** A key with its shards on the devnet's key nodes. */
export interface SavedKey {
  cid: string;
  masterKey: string;
  keyShards: FiveShards;
}

/** Saves a key that wallet 0 owns. The nodes in `lost` report that they have saved their shard, but have not. */
export async function saveKey(
  devnet: Devnet,
  {
    lost = [],
    shareTo,
    scheme,
  }: { lost?: readonly number[]; shareTo?: [string, ...string[]]; scheme?: ShardScheme } = {},
): Promise<SavedKey> {
  const cid = formatCid(encodeCid(1, "raw", randomBytes(32)));
  const { masterKey, keyShards } = await kavachGenerate({ scheme });
  const mend = lost.map((node) =>
    devnet.faults.add({
      service: "keyNodes",
      node,
      method: "POST",
      path: "/api/setSharedKey",
      action: { kind: "respond", json: { message: "success" } },
    }),
  );
  await kavachSaveShards(cid, { ...as(devnet, 0), keyShards, shareTo });
  for (const undo of mend) undo();
  return { cid, masterKey, keyShards };
}
