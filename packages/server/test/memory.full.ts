import { type ChildProcess, fork } from "node:child_process";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { upload } from "../../../src/index.ts";
import { account, getApiKey } from "../../../test/support/devnet-wire.ts";
import { nextMessage } from "../../../test/support/next-message.ts";
import { startDevnet } from "../../devnet/src/index.ts";

const MIB = 1024 * 1024;
const size = Number(process.env["UPLOAD_MIB"] ?? 1024) * MIB;
/** Far less than the body. How much of what is freed is still there depends on how busy the machine is. */
const LIMIT_MIB = size / MIB / 4;

async function* generate(): AsyncGenerator<Uint8Array> {
  for (let sent = 0; sent < size; sent += MIB) {
    const chunk = Buffer.alloc(MIB, 7);
    chunk.writeUInt32BE(sent / MIB);
    yield chunk;
  }
}

test("1 GiB passes through the upload handler without being held in memory, announced or not", async () => {
  const devnet = await startDevnet({ dataLimit: 10 * 1024 * MIB });
  const apiKey = await getApiKey(devnet, account(devnet, 0));
  const script = fileURLToPath(new URL("memory-server.mjs", import.meta.url));
  const args = [apiKey, JSON.stringify(devnet.endpoints)];
  const child: ChildProcess = fork(script, args, { execArgv: [] });
  try {
    const via = await nextMessage<string>(child);
    const peak = (): Promise<number> => {
      child.send("peak");
      return nextMessage<number>(child);
    };
    console.log(`idle: ${await peak()} MiB`);
    for (const announced of [size, undefined]) {
      const [stored] = await upload({ name: "large", size: announced, stream: generate() }, { via });
      expect(stored.Name).toBe("large");
      const peakMib = await peak();
      console.log(`${size / MIB} MiB${announced === undefined ? ", not announced" : ""}: peak RSS ${peakMib} MiB`);
      expect(peakMib).toBeLessThanOrEqual(LIMIT_MIB);
    }
  } finally {
    child.kill();
    await devnet.close();
  }
});
