import { type FiveShards, kavachRecoverShards, kavachSaveShards } from "keeplight";
import { orErrorValue } from "./error-value.ts";
import { getKeyNodeOptions } from "./shared/settings.ts";
import type { Unchecked } from "./shared/unchecked.ts";
import type { AuthToken, DynamicData, KeyShard, RecoverShards } from "./types.ts";

type Saved = { isSuccess: boolean; error: Unchecked } | { isSuccess: Unchecked; error: null };

/** Saves the five shards of a file's key, one on each key node. */
export async function saveShards(
  address: string,
  cid: string,
  auth_token: AuthToken,
  keyShards: KeyShard[],
  shareTo: string[] = [],
): Promise<Saved> {
  return orErrorValue<Saved>(
    async () => {
      await kavachSaveShards(cid, {
        ...getKeyNodeOptions(),
        address,
        authToken: auth_token,
        keyShards: keyShards as FiveShards,
        ...(shareTo.length > 0 ? { shareTo: shareTo as [string, ...string[]] } : {}),
      });
      return { isSuccess: true, error: null };
    },
    (error) => ({ isSuccess: false, error }),
  );
}

/** Fetches shards of a file's key: from other key nodes if some fail. */
export async function recoverShards(
  address: string,
  cid: string,
  auth_token: AuthToken,
  numOfShards = 3,
  dynamicData: DynamicData = {},
): Promise<RecoverShards> {
  return orErrorValue<RecoverShards>(
    async () => {
      const { shards } = await kavachRecoverShards(cid, {
        ...getKeyNodeOptions(),
        address,
        authToken: auth_token,
        count: numOfShards,
        dynamicData,
      });
      const sorted = [...shards].sort((a, b) => a.node - b.node);
      return { shards: sorted.map(({ key, index }) => ({ key, index })), error: null };
    },
    (error) => ({ shards: [], error }),
  );
}
