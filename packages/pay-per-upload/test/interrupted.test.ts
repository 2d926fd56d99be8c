import { expect, test } from "vitest";
import { devnetForTests } from "../../../test/support/devnet-wire.ts";
import { actions, createRunner, interruptedKinds } from "./interrupted.ts";

const devnet = devnetForTests({ chain: true, x402: { honours: true } });

const cases = interruptedKinds.flatMap((kind) => Object.keys(actions).map((action) => [kind, action] as const));

test.each(cases)("%s: %s: paid once, and done in the end", async (kind, action) => {
  const runner = createRunner(devnet(), "");
  try {
    const { payments, paid, isDone, codes } = await runner.run({ kind, action, waitMs: 0, times: 1 });
    expect({ payments, paid, isDone, codes }).toMatchObject({ payments: 1, paid: 1, isDone: true });
  } finally {
    runner.close();
  }
});
