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

// The client runs through tsx, which takes some 40 MiB of its own.
const MOST_MIB = 200;

test.each([64, 3 * 1024, 5 * 1024])("%d MiB are encrypted, uploaded and decrypted in flat memory", async (mib) => {
  const devnet = await startDevnet();
  try {
    const script = fileURLToPath(new URL("large-client.ts", import.meta.url));
    const args = [await scratch(), JSON.stringify(devnet.endpoints), String(mib)];
    const child = fork(script, args, { execArgv: ["--import", "tsx", "--conditions=keeplight-source"] });
    const report = await nextMessage<Report>(child);
    console.log(`${mib} MiB: peak RSS ${report.peakMib} MiB`);
    expect(report).toMatchObject({ size: mib * 1024 * 1024, same: true });
    expect(report.peakMib).toBeLessThan(MOST_MIB);
  } finally {
    await devnet.close();
  }
});
