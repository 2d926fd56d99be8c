import { pickOptions, resolveOptions } from "../base/operation.ts";
import type { Entry } from "../journal/entries.ts";
import type { JournalLike } from "../journal/handle.ts";
import type { KeyRepair } from "../kavach/keys/save-repaired.ts";
import { applyLaterCalls } from "../kavach/nodes/call-entry.ts";
import { ownerCallSchema } from "../kavach/nodes/owner-call.ts";
import type { CompletedNodes, OwnerOperation } from "../kavach/nodes/run-on-all-nodes.ts";
import type { CallKind, OwnerCallState } from "../kavach/nodes/supersede.ts";
import { mergeStoredOptions, type ResumingOptions } from "./resume-options.ts";

/** The operations that owner calls are continued by. */
const operations: Record<CallKind, () => Promise<OwnerOperation<never>>> = {
  save: async () => (await import("../kavach/keys/save-shards.ts")).kavachSaveShardsOperation,
  share: async () => (await import("../kavach/access/share.ts")).kavachShareOperation,
  revoke: async () => (await import("../kavach/access/revoke.ts")).kavachRevokeOperation,
  conditions: async () =>
    (await import("../kavach/access/set-access-conditions.ts")).kavachSetAccessConditionsOperation,
  transfer: async () => (await import("../kavach/access/transfer-ownership.ts")).kavachTransferOwnershipOperation,
  repair: async () => (await import("../kavach/keys/repair.ts")).kavachRepairOperation,
  delegate: async () => (await import("../kavach/access/set-delegates.ts")).kavachSetDelegatesOperation,
};

/** Completes an owner call: calls the nodes that have not done it; doing it again would harm nobody. */
export async function continueCall(
  journal: JournalLike,
  kind: CallKind,
  entry: Entry<OwnerCallState>,
  options: ResumingOptions,
): Promise<CompletedNodes | KeyRepair> {
  await applyLaterCalls(journal, entry);
  const { cid = "", parameters } = entry.state;
  const operation = await operations[kind]();
  const merged = mergeStoredOptions(parameters, pickOptions(options, ownerCallSchema));
  const resolved = resolveOptions(operation.stored ?? operation.options, merged);
  return (await operation.run(cid, { ...resolved, journal }, entry)) as CompletedNodes | KeyRepair;
}
