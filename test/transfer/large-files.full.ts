import { fork } from "node:child_process";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { startDevnet } from "../../src/devnet/index.ts";
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

test("files of 3 and 5 GiB are encrypted, uploaded and decrypted in the memory that a small one takes", async () => {
  const sizes = [256, 3 * 1024, 5 * 1024];
  const reports: Report[] = [];
  for (const mib of sizes) reports.push(await encryptUploadDecrypt(mib));
  expect(reports).toMatchObject(sizes.map((mib) => ({ size: mib * 1024 * 1024, same: true })));
  const [small = 0, ...large] = reports.map(({ peakMib }) => peakMib);
  for (const peakMib of large) expect(peakMib - small).toBeLessThan(64);
});
