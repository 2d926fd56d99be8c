import { expect, test } from "vitest";
import { startCarRig } from "./car-rig.ts";

test("an archive sixteen times as large takes no more memory, in the client and the devnet", {
  timeout: 60_000,
}, async () => {
  const { run } = await startCarRig({});
  const small = await run({ mib: 32, prove: false });
  const large = await run({ mib: 512, prove: false });
  for (const { cid, root } of [small, large]) expect(cid).toBe(root);
  expect(large.peakMib - small.peakMib).toBeLessThan(48);
  expect(large.devnetPeakMib - small.devnetPeakMib).toBeLessThan(48);
});
