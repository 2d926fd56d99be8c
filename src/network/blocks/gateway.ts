import { blockMismatch, gatewayOffersNoBlocks } from "../../base/errors/content.ts";
import type { RequestFacts } from "../../base/errors/details/input-and-requests.ts";
import { invalidResponse, responseTooLarge } from "../../base/errors/transport.ts";
import type { ResolvedCall } from "../../base/options.ts";
import { joinBytes } from "../../base/streams/bytes.ts";
import type { StackResponse } from "../../platform/types.ts";
import { type HttpRequest, type IncomingBody, receive, throwRefusal, withResponse } from "../http/client.ts";
import { withoutCredentials } from "../http/secrets.ts";
import { type BlockId, formatBlockId, isBlock, MAX_BLOCK_BYTES, readIdAtStart, readVarint } from "./block-id.ts";
import { createStreamReader, type StreamReader } from "./stream-reader.ts";

// One gateway, by https://specs.ipfs.tech/http-gateways/trustless-gateway/.

type Limits = Pick<ResolvedCall, "timeoutMs" | "idleTimeoutMs">;

/** What is known of a gateway, from all calls; `undefined` where nothing is known yet. */
export interface GatewayFacts {
  /** Failures since the last success. */
  failures: number;
  /** Time of the last failure, in milliseconds. */
  failedAt: number;
  /** How long a block takes, in milliseconds: a moving average. */
  latencyMs?: number;
  /** Whether it sends single blocks (`?format=raw`). */
  offersRaw?: boolean;
  /** Whether it sends archives (`?format=car`). */
  offersCar?: boolean;
  /** Whether it sends parts of a file (`Range`). */
  offersRanges?: boolean;
  /** Whether it has sent wrong bytes, which a browser's cache may have kept: they may be used for a year. */
  sentWrongBytes?: boolean;
}

/** A gateway as one call uses it. */
export type Gateway = ReturnType<typeof createGateway>;

const RAW = "application/vnd.ipld.raw";
const CAR = "application/vnd.ipld.car";

/** Statuses of gateways that do not know the requested format. */
const NOT_OFFERED: ReadonlySet<number> = new Set([400, 406, 415, 501]);

/** Blocks before the requested one in an archive of one block; more are not read. */
const MAX_OTHER_BLOCKS = 16;

export function createGateway(base: string, facts: GatewayFacts, { timeoutMs, idleTimeoutMs }: Limits) {
  // A call may have more, which is not for requests.
  const limits = { timeoutMs, idleTimeoutMs };
  const url = withoutCredentials(base);

  function get<T>(
    path: string,
    options: Pick<HttpRequest, "query" | "headers"> & { signal: AbortSignal },
    use: (response: StackResponse, chunks: AsyncIterable<Uint8Array>, facts: RequestFacts) => Promise<T>,
  ): Promise<T> {
    const request: HttpRequest = {
      method: "GET",
      base,
      path: `/ipfs/${path}`,
      retries: true,
      cache: facts.sentWrongBytes ? "reload" : "any",
      ...limits,
      ...options,
    };
    return withResponse(request, undefined, async (response, chunks, requestFacts) => {
      const { status } = response;
      if (status < 300 || status === 416 || NOT_OFFERED.has(status)) return use(response, chunks, requestFacts);
      return throwRefusal(request, response, chunks, requestFacts);
    });
  }

  /** Returns `undefined` if the gateway does not offer single blocks. */
  async function fetchRaw(id: BlockId, signal: AbortSignal): Promise<Uint8Array | undefined> {
    const options = { query: { format: "raw" }, headers: { Accept: RAW }, signal };
    return get(formatBlockId(id), options, async ({ status, headers }, chunks, requestFacts) => {
      // A raw block is the file itself, which any gateway sends; of others a gateway may send the whole file.
      if (status !== 200 || (id.codec !== "raw" && !isOfType(headers, RAW))) return undefined;
      return verified(id, await collect(chunks, MAX_BLOCK_BYTES, requestFacts), requestFacts);
    });
  }

  /** Returns `undefined` if the gateway does not offer archives. */
  async function fetchFromCar(id: BlockId, signal: AbortSignal): Promise<Uint8Array | undefined> {
    const options = { query: { format: "car", "dag-scope": "block" }, headers: { Accept: CAR }, signal };
    return get(formatBlockId(id), options, async ({ status, headers }, chunks, requestFacts) => {
      if (status !== 200 || !isOfType(headers, CAR)) return undefined;
      const requested = formatBlockId(id);
      let others = 0;
      for await (const block of readCar(chunks, requestFacts)) {
        if (block.id && formatBlockId(block.id) === requested) return verified(id, block.bytes, requestFacts);
        if (++others > MAX_OTHER_BLOCKS) break;
      }
      throw invalidResponse(requestFacts, "The archive does not contain the requested block");
    });
  }

  return {
    /** Base URL, without credentials. */
    url,
    /** What is known of it, shared by all calls. */
    facts,
    /** Receives a whole file, which is not verified, as the network's own gateway sends it. */
    receiveFile<T>(
      cid: string,
      signal: AbortSignal,
      idleMs: number,
      read: (body: IncomingBody) => Promise<T>,
    ): Promise<T> {
      const path = `/api/v0/cat/${cid}`;
      return receive({ method: "POST", base, path, retries: true, signal, timeoutMs, idleTimeoutMs: idleMs }, read);
    },
    /**
     * Fetches a block and verifies it.
     *
     * @throws `CID_MISMATCH` for other bytes; `UNSUPPORTED` for a gateway that offers no blocks; what requests throw
     */
    async fetchBlock(id: BlockId, signal: AbortSignal): Promise<Uint8Array> {
      // What it refused for one file, it may offer for another one.
      const refusedAll = facts.offersRaw === false && facts.offersCar === false;
      if (facts.offersRaw !== false || refusedAll) {
        const block = await fetchRaw(id, signal);
        if (id.codec !== "raw") facts.offersRaw = block !== undefined;
        if (block) return block;
      }
      if (facts.offersCar !== false || refusedAll) {
        const block = await fetchFromCar(id, signal);
        facts.offersCar = block !== undefined;
        if (block) return block;
      }
      throw gatewayOffersNoBlocks(url);
    },
    /**
     * Fetches bytes `from` to `to` (exclusive) of a file, which are not verified. Returns `undefined` if the gateway offers
     * no ranges.
     */
    async fetchRange(file: string, from: number, to: number, signal: AbortSignal): Promise<Uint8Array | undefined> {
      const headers = { Range: `bytes=${from}-${to - 1}`, "Accept-Encoding": "identity" };
      const bytes = await get(file, { headers, signal }, async ({ status, headers }, chunks, requestFacts) => {
        if (status !== 206 || !isRange(headers["content-range"], from, to)) return undefined;
        const received = await collect(chunks, to - from, requestFacts);
        if (received.length === to - from) return received;
        throw invalidResponse(requestFacts, `The gateway sent ${received.length} bytes instead of ${to - from}`);
      });
      facts.offersRanges = bytes !== undefined;
      return bytes;
    },
    /**
     * Fetches the blocks that contain bytes `from` to `to` (exclusive) of a file, in one request, and verifies them. Returns
     * fewer blocks, or none, if the gateway prefers to send them one by one.
     */
    async fetchBlocks(file: string, from: number, to: number, signal: AbortSignal) {
      const blocks = new Map<string, Uint8Array>();
      if (facts.offersRaw !== false || facts.offersCar === false) return blocks;
      const query = { format: "car", "dag-scope": "entity", "entity-bytes": `${from}:${to - 1}` };
      const options = { query, headers: { Accept: CAR }, signal };
      facts.offersCar = await get(file, options, async ({ status, headers }, chunks, requestFacts) => {
        if (status !== 200 || !isOfType(headers, CAR)) return false;
        let bytes = 0;
        for await (const { id, bytes: data } of readCar(chunks, requestFacts)) {
          bytes += data.length + BLOCK_OVERHEAD_BYTES;
          if (bytes > MAX_CAR_FACTOR * (to - from) + MAX_CAR_EXTRA_BYTES) throw responseTooLarge(requestFacts, bytes);
          if (id) blocks.set(formatBlockId(id), await verified(id, data, requestFacts));
        }
        return true;
      });
      return blocks;
    },
  };
}

/** How much larger than the requested bytes an archive may be: it has the blocks that lead to them, whole. */
const MAX_CAR_FACTOR = 2;
const MAX_CAR_EXTRA_BYTES = 4 * MAX_BLOCK_BYTES;

/** What each block of an archive counts for besides its bytes, so that even empty ones have a limit. */
const BLOCK_OVERHEAD_BYTES = 36;

async function verified(id: BlockId, bytes: Uint8Array, { url }: RequestFacts): Promise<Uint8Array> {
  if (await isBlock(id, [bytes])) return bytes;
  throw blockMismatch(formatBlockId(id), url);
}

function isOfType(headers: StackResponse["headers"], type: string): boolean {
  return String(headers["content-type"]).toLowerCase().startsWith(type);
}

/** A page may not see the header, unless the gateway exposes it. */
function isRange(header: unknown, from: number, to: number): boolean {
  return header === undefined || String(header).startsWith(`bytes ${from}-${to - 1}/`);
}

async function collect(chunks: AsyncIterable<Uint8Array>, maxBytes: number, facts: RequestFacts): Promise<Uint8Array> {
  const parts: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of chunks) {
    size += chunk.length;
    if (size > maxBytes) throw responseTooLarge(facts, maxBytes);
    parts.push(chunk);
  }
  return joinBytes(parts);
}

/** A block as an archive states it: not verified. */
interface CarBlock {
  /** `undefined` for a block of a kind that this kit does not read. */
  id: BlockId | undefined;
  bytes: Uint8Array;
}

/** Longest header, in bytes: its roots are content ids. */
const MAX_HEADER_BYTES = 64 * 1024;

/** Longest content id, in bytes. */
const MAX_ID_BYTES = 160;

const MAX_VARINT_BYTES = 8;

/**
 * Reads the blocks of a CARv1 archive as they arrive (https://ipld.io/specs/transport/car/carv1/). An archive may have no
 * end.
 *
 * @throws `INVALID_RESPONSE` for an archive that is malformed or ends early, and for a block that is too large
 */
async function* readCar(chunks: AsyncIterable<Uint8Array>, facts: RequestFacts): AsyncGenerator<CarBlock> {
  const malformed = (problem: string) => invalidResponse(facts, `The archive is malformed: ${problem}`);
  const stream = createStreamReader(chunks);
  const header = await readSection(stream, MAX_HEADER_BYTES, malformed);
  if (!header) throw malformed("it is empty");
  for (;;) {
    const section = await readSection(stream, MAX_ID_BYTES + MAX_BLOCK_BYTES, malformed);
    if (!section) return;
    const start = readIdAtStart(section);
    if (!start) throw malformed("a content id is malformed");
    yield { id: start.id, bytes: section.subarray(start.end) };
  }
}

/** Reads the next section without its length; `undefined` at the end. */
async function readSection(
  stream: StreamReader,
  maxBytes: number,
  malformed: (problem: string) => Error,
): Promise<Uint8Array | undefined> {
  const start = await stream.peek(MAX_VARINT_BYTES);
  if (start.length === 0) return undefined;
  const length = readVarint(start, 0);
  if (!length) throw malformed("it ends early");
  if (length.value > maxBytes) throw malformed("a block is too large");
  await stream.take(length.end);
  const section = await stream.take(length.value);
  if (section.length < length.value) throw malformed("it ends early");
  return section;
}
