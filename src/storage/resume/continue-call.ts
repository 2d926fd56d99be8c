import { pickOptions, resolveOptions } from "../../base/operation.ts";
import type { Entry } from "../../journal/entries.ts";
import type { JournalLike } from "../../journal/handle.ts";
import { kavachRevokeOperation } from "../../keys/access/revoke.ts";
import { kavachSetAccessConditionsOperation } from "../../keys/access/set-access-conditions.ts";
import { kavachSetDelegatesOperation } from "../../keys/access/set-delegates.ts";
import { kavachShareOperation } from "../../keys/access/share.ts";
import { kavachTransferOwnershipOperation } from "../../keys/access/transfer-ownership.ts";
import { kavachRepairOperation } from "../../keys/file-keys/repair.ts";
import type { KeyRepair } from "../../keys/file-keys/save-repaired.ts";
import { kavachSaveShardsOperation } from "../../keys/file-keys/save-shards.ts";
import { applyLaterCalls } from "../../keys/nodes/call-entry.ts";
import { ownerCallSchema } from "../../keys/nodes/owner-call.ts";
import type { CompletedNodes, OwnerOperation } from "../../keys/nodes/run-on-all-nodes.ts";
import type { CallKind, OwnerCallState } from "../../keys/nodes/supersede.ts";
import { mergeStoredOptions, type ResumingOptions } from "./resume-options.ts";

/** The operations that owner calls are continued by. */
const operations: Record<CallKind, OwnerOperation<never>> = {
  save: kavachSaveShardsOperation,
  share: kavachShareOperation,
  revoke: kavachRevokeOperation,
  conditions: kavachSetAccessConditionsOperation,
  transfer: kavachTransferOwnershipOperation,
  repair: kavachRepairOperation,
  delegate: kavachSetDelegatesOperation,
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
  const operation = operations[kind];
  const merged = mergeStoredOptions(parameters, pickOptions(options, ownerCallSchema));
  const resolved = resolveOptions(operation.stored ?? operation.options, merged);
  return (await operation.run(cid, { ...resolved, journal }, entry)) as CompletedNodes | KeyRepair;
}
