import { describe, expect, test } from "vitest";
import {
  createKit,
  decrypt,
  download,
  type UnfinishedError,
  upload,
  uploadBuffer,
  uploadEncrypted,
  uploadText,
  uploadTextEncrypted,
} from "../../src/index.ts";
import { failure } from "../support/failure.ts";
import { cid } from "../support/fixtures.ts";
import { createServer, endpointsAt } from "../support/http-server.ts";

const key = "ab".repeat(32);
const owner = { address: "0x00000000000000000000000000000000000000aa", authToken: "jwt:token", pauseMs: 0 };
const account = { apiKey: "key" };

/** Calls by name, with the options that take a boolean. */
const uploads: [string, (options: object) => Promise<unknown>][] = [
  ["upload", (options) => upload(new Uint8Array(1), { ...account, ...options })],
  ["uploadText", (options) => uploadText("x", { ...account, ...options })],
  ["uploadBuffer", (options) => uploadBuffer(new Uint8Array(1), { ...account, ...options })],
  ["uploadEncrypted", (options) => uploadEncrypted(new Uint8Array(1), { ...account, ...owner, ...options })],
  ["uploadTextEncrypted", (options) => uploadTextEncrypted("x", { ...account, ...owner, ...options })],
  ["kit.upload", (options) => createKit(account).upload(new Uint8Array(1), options)],
];
const downloads: [string, (options: object) => Promise<unknown>][] = [
  ["download", (options) => download(cid, options)],
  ["decrypt", (options) => decrypt(cid, { key, ...options })],
];
type Case = [name: string, option: string, call: (options: object) => Promise<unknown>];
const cases: Case[] = [
  ...uploads.map(([name, call]): Case => [name, "wrapWithDirectory", call]),
  ...uploads.map(([name, call]): Case => [name, "verifyCid", call]),
  ...downloads.map(([name, call]): Case => [name, "verifyCid", call]),
];

describe.each(cases)("%s with a %s that is not a boolean", (_name, option, call) => {
  test.each(["no", "yes", "", 0, 1, null, {}])("%j is refused before anything is sent", async (value) => {
    const { url, requests } = await createServer((_, response) => response.end("{}"));
    const error = await failure(call({ [option]: value, endpoints: endpointsAt(url) }));
    expect(error).toMatchObject({
      code: "INVALID_OPTION",
      message: `Invalid option ${option}: expected true or false`,
      details: { option },
    });
    expect(requests).toEqual([]);
  });
});

test.each(["wrapWithDirectory", "verifyCid"])("resume() refuses a %s that is not a boolean", async (option) => {
  const { url, requests } = await createServer((_, response) => response.end("[]"));
  const call = uploadEncrypted(new Uint8Array(1), { ...account, ...owner, endpoints: endpointsAt(url) });
  const unfinished = (await failure(call)) as unknown as UnfinishedError<unknown, object>;
  const sent = requests.length;
  const error = await failure(unfinished.resume({ [option]: "yes", cids: { blob: cid } }));
  expect(error).toMatchObject({ code: "INVALID_OPTION", details: { option } });
  expect(requests).toHaveLength(sent);
});
