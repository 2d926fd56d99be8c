// @ts-check

/** Bodies up to this size are read part by part; of larger ones, only both ends and the length are kept. */
const WHOLE_BYTES = 32 * 1024 * 1024;
const END_BYTES = 64 * 1024;

/** @typedef {{ name: string, size: number }} Part */

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
  const { body, leftOut } = await receiveEnds(request);
  const parts = parse(body, `--${boundary}`);
  const [first] = parts;
  if (leftOut > 0 && first) first.size += leftOut;
  return parts;
}

/** @param {import("node:http").IncomingMessage} request */
async function receiveEnds(request) {
  /** @type {Buffer[]} */
  const start = [];
  /** @type {Buffer[]} */
  const end = [];
  let startBytes = 0;
  let endBytes = 0;
  let leftOut = 0;
  request.on("data", (/** @type {Buffer} */ piece) => {
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
 * @returns {Part[]}
 */
function parse(body, delimiter) {
  /** @type {Part[]} */
  const parts = [];
  let at = body.indexOf(delimiter);
  for (;;) {
    const headEnd = body.indexOf("\r\n\r\n", at);
    const next = body.indexOf(`\r\n${delimiter}`, at + 1);
    if (at < 0 || headEnd < 0 || next < 0) return parts;
    const name = /filename="([^"]*)"/.exec(body.toString("utf8", at, headEnd))?.[1] ?? "";
    parts.push({ name, size: next - headEnd - 4 });
    at = next + 2;
  }
}
