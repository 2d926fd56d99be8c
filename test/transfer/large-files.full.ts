import { fork } from "node:child_process";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { startDevnet } from "../../packages/devnet/src/index.ts";
import { scratch } from "../support/files.ts";
import { nextMessage } from "../support/next-message.ts";

interface Report {
  size: number;
  same: boolean;
  peakMib: number;
}

async function encryptUploadDecrypt(mib: number): Promise<Report> {
  const devnet = await startDevnet();
  try {
    const script = fileURLToPath(new URL("large-client.ts", import.meta.url));
    const args = [await scratch(), JSON.stringify(devnet.endpoints), String(mib)];
    const child = fork(script, args, { execArgv: ["--import", "tsx", "--conditions=keeplight-source"] });
    const report = await nextMessage<Report>(child);
    console.log(`${mib} MiB: peak RSS ${report.peakMib} MiB`);
    return report;
  } finally {
    await devnet.close();
  }
}

/** KEEPLIGHT_LARGE_MIB=3072 for one that no buffer holds. */
const LARGE = Number(process.env["KEEPLIGHT_LARGE_MIB"] ?? 768);

test("a large file is encrypted, uploaded and decrypted in the same memory as a small one", async () => {
  const sizes = [128, LARGE];
  const reports: Report[] = [];
  for (const mib of sizes) reports.push(await encryptUploadDecrypt(mib));
  expect(reports).toMatchObject(sizes.map((mib) => ({ size: mib * 1024 * 1024, same: true })));
  const [small = 0, large = 0] = reports.map(({ peakMib }) => peakMib);
  expect(large - small).toBeLessThan(64);
});
