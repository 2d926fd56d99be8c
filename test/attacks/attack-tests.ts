import { afterEach, beforeAll, expect, test } from "vitest";
import { devnetForTests } from "../support/devnet-wire.ts";
import type { AttackCase } from "./attack-case.ts";
import { runPaths } from "./paths.ts";
import { createRig, createTarget, type Rig } from "./rig.ts";

/** Tests that each attack ends on every path as its case says. */
export function testAttacks(cases: readonly AttackCase[]): void {
  const devnet = devnetForTests();
  let rig: Omit<Rig, "target">;
  beforeAll(async () => {
    rig = await createRig(devnet());
  });
  afterEach(() => devnet().attacks.clear());

  test.each(cases.map((one) => [one.name, one] as const))(
    "%s",
    async (_, { bytes, attacks, paths, uploads = false }) => {
      const attacked = { ...rig, target: await createTarget(rig, bytes === undefined ? {} : { bytes }) };
      for (const attack of await attacks(attacked)) devnet().attacks.add(attack);
      expect(await runPaths(attacked, uploads)).toEqual(paths);
    },
  );

  test("none: every path is right without an attack", async () => {
    expect(await runPaths({ ...rig, target: await createTarget(rig) }, true)).toEqual({});
  });
}
