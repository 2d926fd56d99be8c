// @ts-check

/** Bodies up to this size are read part by part; of larger ones, only both ends and the length are kept. */
const WHOLE_BYTES = 32 * 1024 * 1024;
const END_BYTES = 64 * 1024;

/** @typedef {{ name: string, size: number, cid: string }} Part */

const dist = new URL("../dist/formats/cid/", import.meta.url);
/** @type {typeof import("../src/formats/cid/file.ts")} */
const { hashFile } = await import(new URL("file.js", dist).href);
/** @type {typeof import("../src/formats/cid/content-id.ts")} */
const { formatCid } = await import(new URL("content-id.js", dist).href);

/**
 * Returns the parts of a multipart request, in order. A body too large to be kept counts as a single part, and is not
 * searched for boundaries, so that the benchmark does not measure the service.
 *
 * @param {import("node:http").IncomingMessage} request
 * @returns {Promise<Part[]>}
 */
export async function receiveParts(request) {
  const boundary = /boundary=([^;]+)/.exec(request.headers["content-type"] ?? "")?.[1];
  if (boundary === undefined) throw new Error("the body is not multipart");
  // Clients check the CIDs of encrypted files only; the service does no more work than necessary.
  const hashes = request.headers["encryption"] === "true";
  const large = createPartHasher(`\r\n--${boundary}--\r\n`.length);
  const { body, skippedBytes } = await receiveEnds(request, hashes ? large.update : () => undefined);
  const parts = parseParts(body, `--${boundary}`);
  const [first] = parts;
  if (skippedBytes > 0 && first) {
    return [{ name: first.name, size: first.size + skippedBytes, cid: hashes ? await large.finish() : ANY_CID }];
  }
  return Promise.all(
    parts.map(async ({ content, ...part }) => ({ ...part, cid: hashes ? await computeCid([content]) : ANY_CID })),
  );
}

const ANY_CID = `b${"a".repeat(58)}`;

/** @param {AsyncIterable<Uint8Array> | Iterable<Uint8Array>} chunks */
export async function computeCid(chunks) {
  const hasher = hashFile(1);
  for await (const chunk of chunks) await hasher.update(chunk);
  return formatCid((await hasher.finish()).cid);
}

/**
 * Computes the CID of a body's only part while it is received.
 *
 * @param {number} footerBytes length of the closing boundary
 */
function createPartHasher(footerBytes) {
  const hasher = hashFile(1);
  /** @type {Buffer} */
  let pending = Buffer.alloc(0);
  let isInHeader = true;
  let work = Promise.resolve();
  return {
    /** @param {Buffer} chunk */
    update(chunk) {
      pending = pending.length === 0 ? chunk : Buffer.concat([pending, chunk]);
      if (isInHeader) {
        const headerEnd = pending.indexOf("\r\n\r\n");
        if (headerEnd < 0) return;
        pending = pending.subarray(headerEnd + 4);
        isInHeader = false;
      }
      const content = pending.subarray(0, Math.max(pending.length - footerBytes, 0));
      pending = pending.subarray(content.length);
      work = work.then(() => hasher.update(content));
    },
    async finish() {
      await work;
      return formatCid((await hasher.finish()).cid);
    },
  };
}

/**
 * @param {import("node:http").IncomingMessage} request
 * @param {(chunk: Buffer) => void} onChunk
 */
async function receiveEnds(request, onChunk) {
  /** @type {Buffer[]} */
  const start = [];
  /** @type {Buffer[]} */
  const end = [];
  let startBytes = 0;
  let endBytes = 0;
  let skippedBytes = 0;
  request.on("data", (/** @type {Buffer} */ chunk) => {
    onChunk(chunk);
    if (skippedBytes === 0 && startBytes + endBytes + chunk.length <= WHOLE_BYTES) {
      start.push(chunk);
      startBytes += chunk.length;
      return;
    }
    while (startBytes > END_BYTES && start.length > 1) {
      const dropped = start.pop()?.length ?? 0;
      startBytes -= dropped;
      skippedBytes += dropped;
    }
    end.push(chunk);
    endBytes += chunk.length;
    for (let oldest = end[0]; oldest && endBytes - oldest.length >= END_BYTES; oldest = end[0]) {
      end.shift();
      endBytes -= oldest.length;
      skippedBytes += oldest.length;
    }
  });
  await new Promise((resolve, reject) => {
    request.on("end", resolve);
    request.on("error", reject);
  });
  return { body: Buffer.concat([...start, ...end]), skippedBytes };
}

/**
 * @param {Buffer} body
 * @param {string} delimiter
 */
function parseParts(body, delimiter) {
  /** @type {{ name: string, size: number, content: Buffer }[]} */
  const parts = [];
  let at = body.indexOf(delimiter);
  for (;;) {
    const headerEnd = body.indexOf("\r\n\r\n", at);
    const next = body.indexOf(`\r\n${delimiter}`, at + 1);
    if (at < 0 || headerEnd < 0 || next < 0) return parts;
    const name = /filename="([^"]*)"/.exec(body.toString("utf8", at, headerEnd))?.[1] ?? "";
    parts.push({ name, size: next - headerEnd - 4, content: body.subarray(headerEnd + 4, next) });
    at = next + 2;
  }
}
