import { formatBlockId } from "../network/blocks/block-id.ts";
import { parseBlockId } from "../network/blocks/find-file.ts";

/**
 * Returns a content id in version 1 and base32, so that two ids of the same blocks are the same string; one whose blocks this kit
 * cannot read as it is.
 */
export function normalizeCid(cid: string): string {
  const id = parseBlockId(cid);
  return id ? formatBlockId(id) : cid;
}
