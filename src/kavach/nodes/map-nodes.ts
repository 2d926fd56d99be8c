import { wait } from "../../async/abort.ts";
import { allInOrder } from "../../async/all-in-order.ts";
import type { KeyNodes } from "./node-client.ts";

/**
 * Runs `work` for each node by the pacing of the call, one after another with a pause in between or all at once, and
 * returns the results in the order of the nodes.
 *
 * @throws `ABORTED`; what `work` throws, once nothing is running any more
 */
export async function mapNodes<T>(
  nodes: KeyNodes,
  numbers: readonly number[],
  work: (node: number) => Promise<T>,
): Promise<T[]> {
  if (nodes.pacing === "parallel") return allInOrder(numbers.map(work));
  const results: T[] = [];
  for (const node of numbers) {
    if (results.length > 0) await wait(nodes.pauseMs, nodes.call.signal);
    results.push(await work(node));
  }
  return results;
}
