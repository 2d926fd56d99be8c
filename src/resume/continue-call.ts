import type { JournalEntry } from "../journal/entries.ts";
import { createContinuation, type JournalLike } from "../journal/handle.ts";
import { kavachRevoke, type RevokeOptions } from "../kavach/access/revoke.ts";
import { kavachSetAccessConditions, type SetAccessConditionsOptions } from "../kavach/access/set-access-conditions.ts";
import { kavachSetDelegates } from "../kavach/access/set-delegates.ts";
import { kavachShare, type ShareOptions } from "../kavach/access/share.ts";
import { kavachTransferOwnership, type TransferOwnershipOptions } from "../kavach/access/transfer-ownership.ts";
import { kavachRepair, type RepairOptions } from "../kavach/keys/repair.ts";
import type { KeyRepair } from "../kavach/keys/save-repaired.ts";
import { kavachSaveShards, type SaveShardsOptions } from "../kavach/keys/save-shards.ts";
import { applyLaterCalls } from "../kavach/nodes/journaled-call.ts";
import type { CallKind, JournaledCall } from "../kavach/nodes/kept-call.ts";
import { type OwnerChangeOptions, ownerCallNames } from "../kavach/nodes/owner-call.ts";
import type { CompletedNodes } from "../kavach/nodes/run-on-all-nodes.ts";
import type { Addresses } from "../validation/address.ts";
import { pickOptions } from "../validation/check-options.ts";
import { mergeKept } from "./merge-kept.ts";
import type { ResumeOperationOptions } from "./resume-options.ts";

type Call = (cid: string, options: object) => Promise<CompletedNodes | KeyRepair>;

const calls: Record<CallKind, Call> = {
  save: (cid, options) => kavachSaveShards(cid, options as SaveShardsOptions),
  share: (cid, options) => kavachShare(cid, options as ShareOptions),
  revoke: (cid, options) => kavachRevoke(cid, options as RevokeOptions),
  conditions: (cid, options) => kavachSetAccessConditions(cid, options as SetAccessConditionsOptions),
  transfer: (cid, options) => kavachTransferOwnership(cid, options as TransferOwnershipOptions),
  repair: (cid, options) => kavachRepair(cid, options as RepairOptions),
  delegate(_, kept) {
    const { delegates, ...options } = kept as OwnerChangeOptions & { delegates: Addresses };
    return kavachSetDelegates(delegates, options);
  },
};

/** Completes an owner call: calls the nodes that have not done it; doing it again would harm nobody. */
export async function continueCall(
  journal: JournalLike,
  kind: CallKind,
  entry: JournalEntry<JournaledCall>,
  options: ResumeOperationOptions,
): Promise<CompletedNodes | KeyRepair> {
  await applyLaterCalls(journal, entry);
  const { cid = "", parameters } = entry.state;
  const merged = mergeKept(parameters, pickOptions(options, ownerCallNames));
  return calls[kind](cid, { ...merged, journal: createContinuation(journal, entry) });
}
