import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { request } from "node:http";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import type { Devnet } from "../../src/devnet/index.ts";
import { account, getApiKey } from "../support/devnet-wire.ts";
import { nextMessage } from "../support/next-message.ts";

const MIB = 1024 * 1024;

function peakMib(child: ChildProcess): Promise<number> {
  child.send("peak");
  return nextMessage(child);
}

/** Uploads `mib` MiB without holding them in this process's memory. */
async function uploadLarge(url: string, key: string, mib: number): Promise<number> {
  const boundary = "----WebKitFormBoundary0123456789abcdef";
  const head = `--${boundary}\r\ncontent-disposition: form-data; name="file"; filename="large"\r\n\r\n`;
  const chunk = Buffer.alloc(MIB, 5);
  const body = Readable.from(
    (function* () {
      yield Buffer.from(head);
      for (let sent = 0; sent < mib; sent++) yield chunk;
      yield Buffer.from(`\r\n--${boundary}--\r\n`);
    })(),
    { objectMode: false },
  );
  const headers = { authorization: `Bearer ${key}`, "content-type": `multipart/form-data; boundary=${boundary}` };
  const upload = request(`${url}/api/v0/add?cid-version=1`, { method: "POST", headers });
  const responded = once(upload, "response");
  await pipeline(body, upload);
  const [response] = await responded;
  response.resume();
  return response.statusCode;
}

test("an upload four times as large takes no more memory", { timeout: 60_000 }, async () => {
  const script = fileURLToPath(new URL("memory-server.ts", import.meta.url));
  const child = fork(script, { execArgv: ["--import", "tsx", "--conditions=keeplight-source"] });
  try {
    const devnet = await nextMessage<Devnet>(child);
    const key = await getApiKey(devnet, account(devnet, 0));
    expect(await uploadLarge(devnet.endpoints.upload, key, 96)).toBe(200);
    const before = await peakMib(child);
    expect(await uploadLarge(devnet.endpoints.upload, key, 384)).toBe(200);
    expect((await peakMib(child)) - before).toBeLessThan(64);
  } finally {
    const ended = once(child, "exit");
    child.disconnect();
    expect((await ended)[0]).toBe(0);
  }
});
