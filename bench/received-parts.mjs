// @ts-check

/** Bodies up to this size are read part by part; of larger ones, only both ends and the length are kept. */
const WHOLE_BYTES = 32 * 1024 * 1024;
const END_BYTES = 64 * 1024;

/** @typedef {{ name: string, size: number, cid: string }} Part */

const dist = new URL("../dist/cid/", import.meta.url);
/** @type {typeof import("../src/cid/file.ts")} */
const { hashFile } = await import(new URL("file.js", dist).href);
/** @type {typeof import("../src/cid/content-id.ts")} */
const { cidText } = await import(new URL("content-id.js", dist).href);

/**
 * The parts of a multipart request, in order. A body too large to be kept is taken for a single part, and
 * looking for boundaries in it is left out so that the service is not what is measured.
 *
 * @param {import("node:http").IncomingMessage} request
 * @returns {Promise<Part[]>}
 */
export async function receiveParts(request) {
  const boundary = /boundary=([^;]+)/.exec(request.headers["content-type"] ?? "")?.[1];
  if (boundary === undefined) throw new Error("the body is no multipart");
  // Clients check the content ids of encrypted files only; the service is to do no more than it must.
  const hashes = request.headers["encryption"] === "true";
  const large = createPartHasher(`\r\n--${boundary}--\r\n`.length);
  const { body, leftOut } = await receiveEnds(request, hashes ? large.update : () => undefined);
  const parts = parse(body, `--${boundary}`);
  const [first] = parts;
  if (leftOut > 0 && first) {
    return [{ name: first.name, size: first.size + leftOut, cid: hashes ? await large.finish() : ANY_CID }];
  }
  return Promise.all(
    parts.map(async ({ content, ...part }) => ({ ...part, cid: hashes ? await cidOf(content) : ANY_CID })),
  );
}

const ANY_CID = `b${"a".repeat(58)}`;

/** @param {Uint8Array} bytes */
async function cidOf(bytes) {
  const hasher = hashFile(1);
  await hasher.update(bytes);
  return cidText((await hasher.finish()).cid);
}

/**
 * Computes the content id of a body's only part while the body comes in.
 *
 * @param {number} footBytes what ends the body
 */
function createPartHasher(footBytes) {
  const hasher = hashFile(1);
  /** @type {Buffer} */
  let held = Buffer.alloc(0);
  let inHead = true;
  let work = Promise.resolve();
  return {
    /** @param {Buffer} piece */
    update(piece) {
      held = held.length === 0 ? piece : Buffer.concat([held, piece]);
      if (inHead) {
        const headEnd = held.indexOf("\r\n\r\n");
        if (headEnd < 0) return;
        held = held.subarray(headEnd + 4);
        inHead = false;
      }
      const content = held.subarray(0, Math.max(held.length - footBytes, 0));
      held = held.subarray(content.length);
      work = work.then(() => hasher.update(content));
    },
    async finish() {
      await work;
      return cidText((await hasher.finish()).cid);
    },
  };
}

/**
 * @param {import("node:http").IncomingMessage} request
 * @param {(piece: Buffer) => void} watch
 */
async function receiveEnds(request, watch) {
  /** @type {Buffer[]} */
  const start = [];
  /** @type {Buffer[]} */
  const end = [];
  let startBytes = 0;
  let endBytes = 0;
  let leftOut = 0;
  request.on("data", (/** @type {Buffer} */ piece) => {
    watch(piece);
    if (leftOut === 0 && startBytes + endBytes + piece.length <= WHOLE_BYTES) {
      start.push(piece);
      startBytes += piece.length;
      return;
    }
    while (startBytes > END_BYTES && start.length > 1) {
      const dropped = start.pop()?.length ?? 0;
      startBytes -= dropped;
      leftOut += dropped;
    }
    end.push(piece);
    endBytes += piece.length;
    for (let oldest = end[0]; oldest && endBytes - oldest.length >= END_BYTES; oldest = end[0]) {
      end.shift();
      endBytes -= oldest.length;
      leftOut += oldest.length;
    }
  });
  await new Promise((resolve, reject) => {
    request.on("end", resolve);
    request.on("error", reject);
  });
  return { body: Buffer.concat([...start, ...end]), leftOut };
}

/**
 * @param {Buffer} body
 * @param {string} delimiter
 */
function parse(body, delimiter) {
  /** @type {{ name: string, size: number, content: Buffer }[]} */
  const parts = [];
  let at = body.indexOf(delimiter);
  for (;;) {
    const headEnd = body.indexOf("\r\n\r\n", at);
    const next = body.indexOf(`\r\n${delimiter}`, at + 1);
    if (at < 0 || headEnd < 0 || next < 0) return parts;
    const name = /filename="([^"]*)"/.exec(body.toString("utf8", at, headEnd))?.[1] ?? "";
    parts.push({ name, size: next - headEnd - 4, content: body.subarray(headEnd + 4, next) });
    at = next + 2;
  }
}
