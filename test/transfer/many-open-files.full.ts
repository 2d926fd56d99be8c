import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { expect, test } from "vitest";
import { scratch, writeTree } from "../support/files.ts";
import { createServer, sendJson } from "../support/http-server.ts";
import { parseMultipart } from "../support/multipart.ts";

const uploaded = { Name: "name", Hash: "bafkreifzjut3te2nhyekklss27nh3k72ysco7y32koao5eei66wof36n5e", Size: "1" };

test.skipIf(process.platform === "win32")("a process that may open 256 files uploads 5,000", async () => {
  const folder = await scratch();
  const names = Array.from({ length: 5_000 }, (_, at) => `${at % 50}/${at}.txt`);
  await writeTree(folder, Object.fromEntries(names.map((name) => [`dir/${name}`, name])));
  const server = await createServer((_, response) => sendJson(response, uploaded));
  const script = `
    const { upload } = await import(${JSON.stringify(new URL("../../src/index.ts", import.meta.url).href)});
    const endpoints = { upload: ${JSON.stringify(server.url)} };
    await upload(${JSON.stringify(join(folder, "dir"))}, { apiKey: "key", endpoints });
  `;
  const node = 'ulimit -n 256 && exec "$0" --import tsx --conditions=keeplight-source --input-type=module -e "$1"';
  const child = spawn("bash", ["-c", node, process.execPath, script], { stdio: ["ignore", "inherit", "pipe"] });
  const [stderr, [code]] = await Promise.all([text(child.stderr), once(child, "exit")]);
  expect(stderr).toBe("");
  expect(code).toBe(0);
  const [request] = server.requests;
  const parts = await parseMultipart(request?.headers ?? {}, request?.body ?? Buffer.alloc(0));
  const found = parts.map(({ filename, bytes }) => [filename, bytes.toString()]).sort();
  expect(found).toEqual(names.map((name) => [`dir/${name}`, name]).sort());
});
