import { CID } from "multiformats/cid";
import type { Block } from "../car/encode-car.ts";
import type { Gateway } from "./gateway.ts";

/** Yields blocks, or what an attack by this gateway makes of them. */
export async function* tamperBlocks(
  { attacks, index: gateway }: Gateway,
  requested: string,
  blocks: AsyncIterable<Block> | Iterable<Block>,
): AsyncGenerator<Block> {
  const attack = attacks.find("tamper-blocks", { cid: requested, gateway });
  let index = 0;
  for await (const block of blocks) {
    const changed = attack ? attack.change({ cid: block.cid.toString(), bytes: block.bytes }, index++) : [];
    if (!attack) yield block;
    else if (!changed) return;
    else for (const { cid, bytes } of changed) yield { cid: CID.parse(cid), bytes };
  }
}
