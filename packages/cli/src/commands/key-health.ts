import type { KeyHealth, NodeHealth } from "keeplight";
import { EXIT } from "../frame/failure.ts";
import { type Invocation, openCommandJournal } from "../frame/invocation.ts";
import { resumeCommand } from "../frame/type-again.ts";
import { clean } from "../output/format.ts";
import { formatFacts, formatTable } from "../output/table.ts";
import { openOwnerKit } from "../steps/authority.ts";

export async function health(invocation: Invocation): Promise<void> {
  const { output, argument } = invocation;
  const kit = await openOwnerKit(invocation);
  const health = await kit.kavachInspect(argument("cid"));
  const { cid, healthy, key } = health;
  if (!healthy) output.warn(`Not all is well. keeplight repair ${cid} replaces missing and wrong shards.`);
  await warnOfOpen(invocation, cid);
  output.result(health, (width) => describe(health, width), healthy ? "healthy" : key);
}

/** A share or revoke that reached some nodes only shows in no response, but in the journal of whoever made it. */
async function warnOfOpen({ load, option, output }: Invocation, about: string): Promise<void> {
  const journal = await openCommandJournal(await load()).catch(() => undefined);
  const open = (await journal?.list().catch(() => undefined)) ?? [];
  for (const { id, kind, cids } of open) {
    if (!cids.includes(about)) continue;
    output.warn(`A ${kind} of this file is not complete: ${resumeCommand(option("profile"), id)}`);
  }
}

function describe({ healthy, key, sharing, access, nodes }: KeyHealth, width?: number): string {
  const facts = formatFacts([
    ["Key healthy", healthy ? "yes" : "no"],
    ["Key", key],
    ["Sharing, as this account sees it", sharing],
    access && ["Owner", access.owner],
  ]);
  const rows = nodes.map(({ node, state, agrees, failure }: NodeHealth) => [
    String(node),
    state,
    agrees === undefined ? "" : agrees ? "agrees" : "differs",
    failure?.message ?? "",
  ]);
  const columns = [{ title: "Node" }, { title: "Shard" }, { title: "" }, { title: "", shrinks: true }];
  return `${facts}\n\n${formatTable(columns, rows, width)}`;
}

export async function repair(invocation: Invocation): Promise<void> {
  const { output, argument, isDryRun } = invocation;
  const cid = argument("cid");
  const kit = await openOwnerKit(invocation);
  if (isDryRun) {
    const { nodes } = await kit.kavachInspect(cid);
    const planned = nodes.map(({ node, state, agrees, failure }) => {
      const done = state === "missing" ? "saved" : state !== "holds" ? state : agrees === false ? "replaced" : "kept";
      return { node, done, failure };
    });
    return print(planned);
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
    output.result({ cid, sharedTo: shared, nodes: all }, (width) => formatTable(columns, rows, width));
  }
}
