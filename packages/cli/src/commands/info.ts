import type { AccessConditions, Deal } from "keeplight";
import type { Invocation } from "../frame/invocation.ts";
import { clean } from "../output/clean.ts";
import { formatBytes } from "../output/format.ts";
import { formatFacts } from "../output/table.ts";

/** Shows what the network knows of a file. */
export async function run({ load, call, keyCall, argument, output }: Invocation): Promise<void> {
  const kit = await load();
  const cid = argument("cid");
  const info = await kit.getFileInfo(cid, call);
  const deals = await kit.getDealStatus(cid, call);
  const access = info.encryption ? await readAccess() : undefined;
  const size = info.fileSizeInBytes === null ? null : Number(info.fileSizeInBytes);
  const result = { cid, name: info.fileName, size, type: info.mimeType ?? null, encrypted: info.encryption, deals };
  const facts: [string, string][] = [
    ["Name", info.fileName ?? "?"],
    ["Size", formatBytes(info.fileSizeInBytes)],
    ["Type", info.mimeType || "?"],
    ["Encrypted", info.encryption === null ? "?" : info.encryption ? "yes" : "no"],
    ...(access ? describeAccess(access) : []),
    ...deals.map((deal): [string, string] => ["Deal", describeDeal(deal)]),
  ];
  output.result(access ? { ...result, access } : result, {
    text: () => formatFacts(facts),
    quiet: clean(info.fileName ?? ""),
  });

  /** The key nodes may not know a file that another client has encrypted. */
  async function readAccess() {
    try {
      const { owner, sharedTo, conditions, aggregator } = await kit.kavachGetAccessConditions(cid, keyCall);
      return { owner, sharedTo, conditions, aggregator };
    } catch (error) {
      if (!kit.isKeeplightError(error) || error.code === "ABORTED") throw error;
      output.warn(`The key nodes do not say who may open it: ${error.message}`);
      return undefined;
    }
  }
}

function describeAccess({ owner, sharedTo, conditions }: Pick<AccessConditions, "owner" | "sharedTo" | "conditions">) {
  const facts: [string, string][] = [["Owner", owner]];
  for (const address of sharedTo) facts.push(["Shared with", address]);
  if (conditions.length > 0) facts.push(["Conditions", String(conditions.length)]);
  return facts;
}

function describeDeal({ chainDealID, dealId, dealStatus, storageProvider, miner }: Deal): string {
  const id = chainDealID ?? dealId;
  return [id ? `${id}` : "", storageProvider || miner || "", dealStatus || ""].filter(Boolean).join("  ");
}
