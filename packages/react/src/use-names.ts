import type { IpnsKey, IpnsPublishOptions, IpnsRecord, PublishedRecord, RemovedIpnsKeys } from "keeplight";
import { copyOptions } from "keeplight/parts";
import { useMemo } from "react";
import { useKitLoad } from "./kit-provider.ts";
import type { Loaded } from "./use-load.ts";
import { type Change, useChange } from "./use-task.ts";

/** What {@link useNames} returns. */
export interface UseNames extends Loaded<IpnsRecord[]> {
  /** Creates a name; nothing is published under it yet. */
  create(): Promise<IpnsKey | undefined>;
  /** Publishes a file under a name, by its `keyName`. */
  publish(record: Pick<IpnsPublishOptions, "cid" | "keyName">): Promise<PublishedRecord | undefined>;
  /** Removes a name, by its `keyName`: what is published under it can no longer be changed. */
  remove(keyName: string): Promise<RemovedIpnsKeys | undefined>;
  /** The state of the latest change; after one, the names are reloaded. */
  change: Change<IpnsKey | PublishedRecord | RemovedIpnsKeys>;
}

/**
 * The names (IPNS) of the account of the provider's `apiKey`, and what is published under them.
 *
 * @example
 * const { state, create, publish } = useNames();
 * const name = await create();
 * if (name) await publish({ cid, keyName: name.ipnsName });
 */
export function useNames(): UseNames {
  const loaded = useKitLoad((kit, signal) => kit.ipnsListRecords({ signal }));
  const { change, make } = useChange<IpnsKey | PublishedRecord | RemovedIpnsKeys>(undefined, loaded.reload);
  const changes = useMemo(
    () => ({
      create: () => make((kit, signal) => kit.ipnsGenerateKey({ signal })),
      publish(given: Pick<IpnsPublishOptions, "cid" | "keyName">) {
        // It may wait for another change.
        const record = copyOptions(given);
        return make((kit, signal) => kit.ipnsPublishRecord({ ...record, signal }));
      },
      remove: (keyName: string) => make((kit, signal) => kit.ipnsRemoveKey(keyName, { signal })),
    }),
    [make],
  );
  return { ...loaded, ...changes, change };
}
