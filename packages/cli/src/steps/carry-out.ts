import type { CompletedNodes, Journal } from "keeplight";
import type { Invocation, JournaledWork } from "../frame/invocation.ts";
import { checkOnly } from "./check-only.ts";

/** A change that every key node carries out. */
interface NodeChange {
  kind: JournaledWork["kind"];
  /** Absent if it is about all files. */
  cid?: string;
  /** What is printed besides the nodes. */
  result: object;
  /** What was done, for people. */
  done: string;
  call(options: { journal?: Journal; signal?: AbortSignal }): Promise<CompletedNodes>;
}

/** Carries out a change with the journal, or reports what it would be. */
export async function carryOut(invocation: Invocation, { kind, cid, result, done, call }: NodeChange): Promise<void> {
  const { output, isDryRun, account } = invocation;
  if (isDryRun) {
    // So that a dry run finds out that nothing could sign.
    await account.signer();
    await checkOnly((signal) => call({ signal }));
    output.result({ ...result, nodes: [] }, { text: () => `Not done (--dry-run): ${done}`, quiet: "" });
    return;
  }
  const journal = await invocation.journal(cid === undefined ? { kind } : { kind, subject: cid });
  const { nodes } = await call({ journal });
  output.result({ ...result, nodes }, { text: () => `${done} on key nodes ${nodes.join(", ")}`, quiet: "" });
}
