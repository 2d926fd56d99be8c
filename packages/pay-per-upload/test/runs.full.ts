import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { createRandom } from "../../../test/payment/random.ts";
import { bundleScript } from "../../../test/support/bundle-script.ts";
import { devnetForTests } from "../../../test/support/devnet-wire.ts";
import {
  actions,
  createRunner,
  type Ending,
  type InterruptedKind,
  interruptedKinds,
  type Trouble,
} from "./interrupted.ts";

const SEED = Number(process.env["PAID_SEED"] ?? 20_261_126);
const RUNS = Number(process.env["PAID_RUNS"] ?? 30);
const AT_ONCE = 3;

const devnet = devnetForTests({ chain: true, x402: { honours: true } });

/** A third of the calls are killed, the others meet one to three faults. */
function createTrouble(random: () => number): Trouble {
  const pick = <T>(list: readonly T[]): T => list[Math.floor(random() * list.length)] as T;
  const waitMs = pick([0, 0, 300]);
  if (random() < 1 / 3) {
    const kind = pick(["plain", "encrypted"] as const);
    return { kind, killAfterMs: random() * (kind === "plain" ? 150 : 350), waitMs, times: 0 };
  }
  const kind = pick(interruptedKinds) as InterruptedKind;
  return { kind, action: pick(Object.keys(actions)), waitMs, times: pick([1, 1, 2, 3]) };
}

test(`${RUNS} interrupted payments (seed ${SEED}) are made once, and what they are for is done`, async () => {
  const folder = await mkdtemp(join(tmpdir(), "keeplight-paid-"));
  const random = createRandom(SEED);
  const troubles = Array.from({ length: RUNS }, () => createTrouble(random));
  const endings: [Trouble, Ending | unknown][] = [];
  try {
    const runner = createRunner(devnet(), await bundleScript(folder, new URL("./in-child.ts", import.meta.url)));
    // Faults are the network's: only calls that are killed run beside others.
    const kills = troubles.filter(({ killAfterMs }) => killAfterMs !== undefined);
    const faults = troubles.filter(({ killAfterMs }) => killAfterMs === undefined);
    const run = async (trouble: Trouble) =>
      void endings.push([trouble, await runner.run(trouble).catch((error: unknown) => error)]);
    await Promise.all(
      Array.from({ length: AT_ONCE }, async (_, first) => {
        for (let at = first; at < kills.length; at += AT_ONCE) await run(kills[at] as Trouble);
      }),
    );
    for (const trouble of faults) await run(trouble);
    runner.close();
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
  const wrong = endings.filter(([, ending]) => {
    const { payments, paid, isDone } = ending as Partial<Ending>;
    return payments !== 1 || paid !== 1 || isDone !== true;
  });
  expect(wrong).toEqual([]);
  const killed = endings.filter(([, ending]) => (ending as Ending).isKilled).length;
  const codes = new Map<string, number>();
  for (const [, ending] of endings)
    for (const code of (ending as Ending).codes) codes.set(code, (codes.get(code) ?? 0) + 1);
  console.log(
    `${RUNS} runs, ${killed} killed before they were done; errors: ${JSON.stringify(Object.fromEntries(codes))}`,
  );
});
