// @ts-check
// What this machine allows at most: the steps of an upload alone, in plain Node, over bytes in memory.
import { createCipheriv, createHash, randomBytes } from "node:crypto";
import { once } from "node:events";
import { request } from "node:http";
import { createOperation, measureTask } from "./measure.cjs";

/** @typedef {import("./measure.cjs").Task} Task */

const CHUNK_BYTES = 256 * 1024;
const LARGE_BLOCK_BYTES = 1024 * 1024;

/**
 * Passes the same chunk on until the task's bytes are done.
 *
 * @param {(chunk: Buffer, done: number) => unknown} work `done` counts the chunk
 */
const forEachChunk =
  (work) =>
  (/** @type {Task} */ { bytes }) => {
    const chunk = randomBytes(CHUNK_BYTES);
    return createOperation({
      async run() {
        let done = 0;
        while (done < bytes) {
          done += chunk.length;
          work(chunk, done);
        }
        return done;
      },
      check: (done) => done === bytes,
    });
  };

/**
 * Sends a body of one file by one request.
 *
 * @param {Record<string, string>} headers
 */
const createUpload =
  (headers) =>
  (/** @type {Task} */ { service, bytes }) => {
    const chunk = randomBytes(LARGE_BLOCK_BYTES);
    const head = '--limit\r\nContent-Disposition: form-data; name="file"; filename="limit.bin"\r\n\r\n';
    const tail = "\r\n--limit--\r\n";
    return createOperation({
      async run() {
        const sent = request(`${service}/api/v0/add`, {
          method: "POST",
          headers: {
            ...headers,
            "Content-Type": "multipart/form-data; boundary=limit",
            "Content-Length": head.length + bytes + tail.length,
          },
        });
        const responded = once(sent, "response");
        sent.write(head);
        for (let done = 0; done < bytes; done += chunk.length) if (!sent.write(chunk)) await once(sent, "drain");
        sent.end(tail);
        const [{ statusCode }] = await responded;
        return statusCode;
      },
      check: (status) => status === 200,
    });
  };

const cipher = createCipheriv("aes-256-gcm", randomBytes(32), randomBytes(12));
let large = createHash("sha256");

await measureTask({
  upload: createUpload({}),

  /** The service hashes what it receives, as it does for encrypted uploads. */
  uploadEncryptedWithoutPauses: createUpload({ Encryption: "true" }),

  hash: forEachChunk((chunk) => large.update(chunk)),

  cipher: forEachChunk((chunk) => cipher.update(chunk)),

  /** The minimum cost of a first upload: the cipher, and the hashes of blocks of 1 MiB and 256 KiB. */
  cipherAndHashes: forEachChunk((chunk, done) => {
    const encrypted = cipher.update(chunk);
    large.update(encrypted);
    createHash("sha256").update(encrypted).digest();
    if (done % LARGE_BLOCK_BYTES > 0) return;
    large.digest();
    large = createHash("sha256");
  }),
});
