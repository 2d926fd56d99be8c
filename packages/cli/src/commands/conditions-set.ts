import type { EvmCondition } from "keeplight";
import type { Invocation } from "../frame/invocation.ts";
import { carryOut } from "../steps/carry-out.ts";
import { readConditions } from "../steps/conditions-file.ts";
import { openOwnerKit } from "../steps/kits.ts";

/** Sets the conditions by which others may open a file. */
export async function run(invocation: Invocation): Promise<void> {
  const { load, argument, output } = invocation;
  const cid = argument("cid");
  const rule = await readConditions(argument("file"));
  const { explainConditions } = await load();
  const { conditions, aggregator, chainType } = rule;
  const options = chainType ? { chainType: chainType as "EVM" } : {};
  const explanation = explainConditions(conditions as EvmCondition[], aggregator, options);
  output.note(explanation);
  await carryOut(invocation, {
    kind: "conditions",
    cid,
    result: { cid, explanation },
    done: "Conditions set",
    async call(options) {
      const kit = await openOwnerKit(invocation);
      return kit.kavachSetAccessConditions(cid, { ...rule, ...options });
    },
  });
}
