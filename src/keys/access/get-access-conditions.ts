import * as z from "zod/mini";
import { LIST_RESPONSE_BYTES } from "../../base/config/limits.ts";
import { cidNotFound } from "../../base/errors/nodes.ts";
import { invalidResponse } from "../../base/errors/transport.ts";
import { type Operation, resolveOptions } from "../../base/operation.ts";
import { checkCid } from "../../formats/cid/content-id.ts";
import { type KeyNodeOptions, type KeyNodes, keyNodeSchema, openKeyNodes, requestNode } from "../nodes/node-client.ts";

const list = z.nullish(z.array(z.looseObject({})));

const accessConditions = z.looseObject({
  aggregator: z.nullish(z.string()),
  owner: z.string(),
  cid: z.string(),
  sharedTo: z.nullish(z.array(z.string())),
  conditions: list,
  conditionsSolana: list,
});

/** Who may recover the key of a file, as the key nodes report it. They may add fields. */
export interface AccessConditions {
  /** How the conditions are combined; empty if there is no aggregator. */
  aggregator: string;
  /** Address; of an EVM owner in lower case. */
  owner: string;
  /** Of the file. */
  cid: string;
  /** Addresses that may recover the key besides the owner. */
  sharedTo: string[];
  /** Of all chain types but Solana, as the nodes return them; empty if there are none. */
  conditions: Record<string, unknown>[];
  /** Of Solana, as the nodes return them; empty if there are none. */
  conditionsSolana: Record<string, unknown>[];
  [field: string]: unknown;
}

export const kavachGetAccessConditionsOperation = { options: keyNodeSchema } satisfies Operation<KeyNodeOptions>;

/**
 * Returns who may recover the key of a file: its owner, the addresses it is shared to, and its conditions. The key
 * nodes disclose this to anyone.
 *
 * @throws `INVALID_CID`, `CID_NOT_FOUND` if the nodes do not know the file (`NETWORK` 'fetch Error' if they respond with
 * status 404), `INVALID_RESPONSE`, and what every request may throw
 */
export async function kavachGetAccessConditions(cid: string, options: KeyNodeOptions = {}): Promise<AccessConditions> {
  const nodes = openKeyNodes(resolveOptions(keyNodeSchema, options));
  return fetchAccessConditions(checkCid(cid), nodes);
}

export function hasConditions({ conditions, conditionsSolana }: AccessConditions): boolean {
  return conditions.length + conditionsSolana.length > 0;
}

/** Requests who may recover the key of a file. */
export async function fetchAccessConditions(cid: string, nodes: KeyNodes): Promise<AccessConditions> {
  const path = `/api/fileAccessConditions/get/${cid}`;
  const response = await requestNode(nodes, { method: "GET", path, maxBytes: LIST_RESPONSE_BYTES });
  if (response === null) throw cidNotFound(cid);
  const parsed = z.safeParse(accessConditions, response);
  if (!parsed.success) {
    throw invalidResponse({ method: "GET", url: path }, "The key nodes returned no access conditions");
  }
  const { aggregator, sharedTo, conditions, conditionsSolana, ...rest } = parsed.data;
  return {
    ...rest,
    aggregator: aggregator ?? "",
    sharedTo: sharedTo ?? [],
    conditions: conditions ?? [],
    conditionsSolana: conditionsSolana ?? [],
  };
}
