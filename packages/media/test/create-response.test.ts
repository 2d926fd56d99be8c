import { expect, test } from "vitest";
import { createResponse, type MediaFile } from "../src/index.ts";

const size = 1_200_345;

function fileOf(content: Uint8Array<ArrayBuffer>): MediaFile {
  return {
    size: content.length,
    read: async (from, to) => content.subarray(from, to),
    stream: ({ from = 0, to } = {}) => new Blob([content.subarray(from, to)]).stream(),
  };
}

test("a response has the requested range and a type that runs no scripts", async () => {
  const text = Uint8Array.from({ length: size }, (_, at) => (at * 7) % 251);
  const file = fileOf(text);
  const respond = async (range?: string, method = "GET") => {
    const response = await createResponse(file, { method, headers: new Headers(range ? { range } : {}) });
    const { status, headers } = response;
    const bytes = new Uint8Array(await response.arrayBuffer());
    return { status, range: headers.get("content-range"), type: headers.get("content-type"), bytes };
  };
  expect(await respond("bytes=10-19")).toEqual({
    status: 206,
    range: `bytes 10-19/${size}`,
    type: "application/octet-stream",
    bytes: text.slice(10, 20),
  });
  expect((await respond("bytes=-5")).bytes).toEqual(text.slice(-5));
  expect(await respond(`bytes=${size}-`)).toMatchObject({ status: 416, range: `bytes */${size}` });
  expect(await respond("bytes=0-", "HEAD")).toMatchObject({ status: 206, bytes: new Uint8Array(0) });
  expect((await respond()).bytes.length).toBe(size);
  expect((await respond("bytes=5-2")).status).toBe(200);
});

test.each([
  ["00000018" + "66747970" + "4d344120", "audio/mp4", "sandbox"],
  ["1a45dfa3", "video/webm", "sandbox"],
  // Safari shows no PDF in a sandbox.
  ["25504446" + "2d312e37", "application/pdf", "default-src 'none'; style-src 'unsafe-inline'"],
  [Buffer.from("<svg").toString("hex"), "application/octet-stream", "sandbox"],
  [Buffer.from("<html>").toString("hex"), "application/octet-stream", "sandbox"],
])("a file that starts with %s is sent as %s, with the policy %s", async (start, type, policy) => {
  const { headers } = await createResponse(fileOf(Uint8Array.from(Buffer.from(start, "hex"))));
  expect(headers.get("content-type")).toBe(type);
  expect(headers.get("content-security-policy")).toBe(policy);
  expect(headers.get("x-content-type-options")).toBe("nosniff");
});
