import { findPair, mergePair } from "./arguments/key-and-file.ts";
import { rewriteArguments } from "./arguments/rewrite-arguments.ts";
import { ByHand } from "./by-hand.ts";
import type { Call } from "./call.ts";
import { collectEdits, type Edits } from "./edits.ts";
import { rewriteResult } from "./results/rewrite-result.ts";
import { kavachTable } from "./table/kavach.ts";
import { lighthouseTable } from "./table/lighthouse.ts";
import type { Rule } from "./table/types.ts";

/** The tables of all calls, by package. */
export const tables = { lighthouse: lighthouseTable, kavach: kavachTable };

/** A call of the kit that takes the place of one of the incumbent's. */
export interface RewrittenCall {
  to: string;
  edits: Edits;
  /** Another call that is no longer required. */
  merged: Call | undefined;
}

/** Rewrites all of a call but its name; throws `ByHand` if that is not certain to work. */
export function rewriteCall(call: Call): RewrittenCall {
  const rule = findRule(call);
  const edits = collectEdits();
  const pair = call.name === "decryptFile" ? findPair(call) : undefined;
  rewriteResult(call, rule.result, edits);
  if (!pair) {
    rewriteArguments(call, rule, edits);
    return { to: rule.to, edits, merged: undefined };
  }
  const text = mergePair(pair, edits);
  const parameters = rule.parameters.map((each, index) =>
    index === 1 ? { ...each, convert: () => ({ text }) } : each,
  );
  rewriteArguments(call, { ...rule, parameters }, edits);
  return { to: rule.to, edits, merged: pair.fetch };
}

function findRule(call: Call): Rule {
  const table = tables[call.package];
  const entry = Object.hasOwn(table, call.name) ? table[call.name] : undefined;
  if (entry === undefined) throw new ByHand("there is no such call");
  if (typeof entry === "string") throw new ByHand(entry);
  return typeof entry === "function" ? entry(call) : entry;
}
