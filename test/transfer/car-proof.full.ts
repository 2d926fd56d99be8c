import { expect, test } from "vitest";
import { startCarRig } from "./car-rig.ts";

const GIB = 1024 ** 3;

test("an archive is sent and proved, and its proof verified, in constant memory in the client and the devnet", async () => {
  const { run } = await startCarRig({ proofDelayMs: 0, proofMaxBytes: GIB / 4 });
  const small = await run({ mib: 16, prove: true });
  const large = await run({ mib: 128, prove: true });
  for (const [mib, { cid, root, peakMib, devnetPeakMib }] of [[16, small] as const, [128, large] as const]) {
    console.log(
      `${mib} MiB: peak RSS of the client ${Math.round(peakMib)} MiB, of the devnet ${Math.round(devnetPeakMib)}`,
    );
    expect(cid).toBe(root);
  }
  expect([small.pieceSize, large.pieceSize]).toEqual([GIB / 32, GIB / 4]);
  // Whoever keeps an archive takes 112 MiB more for the larger one. On a busy machine garbage is collected late.
  expect(large.peakMib - small.peakMib).toBeLessThan(96);
  expect(large.devnetPeakMib - small.devnetPeakMib).toBeLessThan(96);
});
