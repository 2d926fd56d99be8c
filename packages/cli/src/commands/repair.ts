import { EXIT } from "../frame/exit-codes.ts";
import type { Invocation } from "../frame/invocation.ts";
import { clean } from "../output/clean.ts";
import { formatTable } from "../output/table.ts";
import { openOwnerKit } from "../steps/kits.ts";

/** Replaces missing and wrong shards of a key. */
export async function run(invocation: Invocation): Promise<void> {
  const { output, argument, isDryRun } = invocation;
  const cid = argument("cid");
  const kit = await openOwnerKit(invocation);
  if (isDryRun) {
    const { nodes } = await kit.kavachInspect(cid);
    const planned = nodes.map(({ node, state, agrees, failure }) => {
      const done = state === "missing" ? "saved" : state !== "holds" ? state : agrees === false ? "replaced" : "kept";
      return failure ? { node, done, failure } : { node, done };
    });
    print(planned);
    return;
  }
  const journal = await invocation.journal({ kind: "repair", subject: cid });
  const { nodes, sharedTo } = await kit.kavachRepair(cid, { journal });
  const unknown = nodes.filter(({ done }) => done === "failed" || done === "refused").map(({ node }) => node);
  if (unknown.length > 0) {
    output.warn(`Key node ${unknown.join(", ")} was left alone. To continue: keeplight repair ${clean(cid)}`);
    process.exitCode = EXIT.resumable;
  }
  print(nodes, sharedTo);

  function print(all: readonly { node: number; done: string }[], shared?: readonly string[]): void {
    const rows = all.map(({ node, done }) => [String(node), done]);
    const columns = [{ title: "Node" }, { title: isDryRun ? "Would be" : "Shard" }];
    output.result(
      { cid, ...(shared ? { sharedTo: shared } : {}), nodes: all },
      { text: (width) => formatTable(columns, rows, width), quiet: "" },
    );
  }
}
