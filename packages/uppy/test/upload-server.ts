import { createHash } from "node:crypto";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { createServer, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { getRequestListener } from "@hono/node-server";
import { Wallet } from "ethers";
import { createApiKey, deleteFile, iterateFiles } from "keeplight";
import { type DevnetOptions, startDevnet } from "../../devnet/src/index.ts";
import { createResumableHandler, type ResumableHandlerOptions } from "../../server/src/resumable/index.ts";

/** What the server does to a request to the uploads, instead of serving it. */
export interface Fault {
  method: string;
  /** How many such requests are served first. Default 0. */
  after?: number;
  /** How many requests it hits. Default: all. */
  times?: number;
  /** Ends the connection once so many bytes of the request have arrived; with `respond`, responds without reading it. */
  resetAfter?: number;
  respond?: { status: number; json?: unknown; headers?: Record<string, string> };
}

/** What has arrived at the uploads. */
export interface ArrivedRequest {
  method: string;
  /** Of the upload, or empty. */
  id: string;
  /** Bytes of its body. */
  bytes: number;
  /** How many bytes of the upload precede them. */
  offset: number;
  /** Of the response; 0 as long as there is none. */
  status: number;
}

/** The bearer that uploads require. */
const TOKEN = "page";

const PATH = "/api/uploads";

/** Bytes of salt and iv, with which an encrypted file starts. */
const NONCE_BYTES = 28;

/** A devnet, and a server with the handler of resumable uploads, whose faults tests choose. */
export type UploadServer = Awaited<ReturnType<typeof startUploadServer>>;

/**
 * Starts them.
 *
 * @param options - `pages` are the bodies of a site on the same server, by their paths; without `keepBodies` nothing that arrives
 * is kept, nor compared
 */
export async function startUploadServer({
  devnet: devnetOptions = {},
  pages = {},
  keepBodies = true,
}: {
  devnet?: DevnetOptions;
  pages?: Readonly<Record<string, { type: string; body: string }>>;
  keepBodies?: boolean;
} = {}) {
  const devnet = await startDevnet(devnetOptions);
  const apiKey = await createApiKey({ signer: Wallet.createRandom(), endpoints: devnet.endpoints });
  const folder = await mkdtemp(join(tmpdir(), "keeplight-uppy-"));
  const faults: { fault: Fault; matched: number; hit: number }[] = [];
  const requests: ArrivedRequest[] = [];
  /** What has arrived of each upload. */
  const bodies = new Map<string, Buffer>();
  /** Uploads of which bytes were sent again that were others. */
  const changed = new Set<string>();
  const events: unknown[] = [];
  let latencyMs = 0;
  let handle = openHandler();
  let server = await listen(serveSite);
  const { port } = server;

  function openHandler() {
    const options: Omit<ResumableHandlerOptions, "allowedOrigins"> = {
      apiKey,
      folder,
      endpoints: devnet.endpoints,
      authorize: ({ headers }) => headers.get("authorization") === `Bearer ${TOKEN}`,
      limits: { maxBytes: 3 * 1024 ** 3, storage: ["annual"] },
    };
    const handlers = new Map<string, ReturnType<typeof createResumableHandler>>();
    return (request: Request) => {
      const origin = request.headers.get("origin") ?? "";
      const allowedOrigins = origin === "" ? [] : [origin];
      const handler = handlers.get(origin) ?? createResumableHandler({ ...options, allowedOrigins });
      handlers.set(origin, handler);
      return handler(request);
    };
  }

  function strike(method: string): Fault | undefined {
    for (const entry of faults) {
      const { fault } = entry;
      if (fault.method !== method || entry.hit >= (fault.times ?? Number.POSITIVE_INFINITY)) continue;
      if (entry.matched++ < (fault.after ?? 0)) continue;
      entry.hit++;
      return fault;
    }
    return undefined;
  }

  /** Keeps bytes of an upload, and compares them with what has arrived before. */
  function keep(id: string, at: number, chunk: Uint8Array): void {
    const before = bodies.get(id) ?? Buffer.alloc(0);
    const again = before.subarray(at, at + chunk.length);
    if (!again.equals(chunk.subarray(0, again.length))) changed.add(id);
    if (again.length < chunk.length) bodies.set(id, Buffer.concat([before.subarray(0, at), chunk]));
  }

  /** Counts the bytes of a body, keeps them, and ends the connection in the middle if a fault says so. */
  function watchBody(body: ReadableStream<Uint8Array>, arrived: ArrivedRequest, end: (bytes: number) => void) {
    return body.pipeThrough(
      new TransformStream<Uint8Array, Uint8Array>({
        transform(chunk, controller) {
          if (keepBodies) keep(arrived.id, arrived.offset + arrived.bytes, chunk);
          arrived.bytes += chunk.length;
          controller.enqueue(chunk);
          end(arrived.bytes);
        },
      }),
    );
  }

  async function serveUpload(request: Request, incoming: IncomingMessage): Promise<Response> {
    const { method, url, headers } = request;
    const id = new URL(url).pathname.slice(PATH.length + 1);
    const offset = Number(headers.get("upload-offset") ?? 0);
    const arrived: ArrivedRequest = { method, id, bytes: 0, offset, status: 0 };
    if (method !== "OPTIONS") requests.push(arrived);
    if (latencyMs > 0) await pause(latencyMs);
    const response = await respond(request, arrived, incoming);
    arrived.status = response.status;
    return response;
  }

  function respond(request: Request, arrived: ArrivedRequest, incoming: IncomingMessage): Response | Promise<Response> {
    const { method, url, headers, signal } = request;
    const fault = strike(method);
    if (fault?.respond) {
      const { status, json = {}, headers: more } = fault.respond;
      const cors = {
        "Access-Control-Allow-Origin": headers.get("origin") ?? "*",
        "Access-Control-Expose-Headers": "*",
      };
      return new Response(method === "HEAD" ? null : JSON.stringify(json), { status, headers: { ...cors, ...more } });
    }
    const limit = fault?.resetAfter;
    if (limit === 0) incoming.socket.destroy();
    const end = (bytes: number) => void (limit !== undefined && bytes >= limit && incoming.socket.destroy());
    if (!request.body) return handle(request);
    const body = watchBody(request.body, arrived, end);
    return handle(new Request(url, { method, headers, signal, body, duplex: "half" } as RequestInit));
  }

  const controls = {
    addFault: (fault: Fault) => void faults.push({ fault, matched: 0, hit: 0 }),
    clearFaults() {
      faults.splice(0);
      devnet.faults.clear();
    },
    breakKeyNode: (node: number) => devnet.stopNode(node),
    mendKeyNode: (node: number) => devnet.startNode(node),
    /** Makes each request to the uploads wait. */
    setLatency(ms: number) {
      latencyMs = ms;
    },
    /** Makes the network slow to store files, or fast again by 0. */
    delayStoring(ms: number) {
      if (ms > 0) devnet.faults.add({ service: "upload", action: { kind: "delay", ms } });
    },
    /** The network does not know a stored file yet, as often as it is asked. */
    delayListing(times: number) {
      const action = { kind: "respond", status: 404, json: { error: "File not found" } } as const;
      devnet.faults.add({ service: "api", path: "/api/lighthouse/file_info", action, times });
    },
    listRequests: () => requests,
    /** Lists the uploads, and how each is encrypted: its salt and iv, in hex digits. */
    listNonces: () => [...bodies].map(([id, body]) => ({ id, nonces: body.toString("hex", 0, NONCE_BYTES) })),
    /** Lists uploads that have one salt and iv, and not the same bytes: both plaintexts would be known. */
    listReused(): string[] {
      const all = [...bodies];
      const isReused = ([id, body]: [string, Buffer]) =>
        all.some(([other, { length }], at) => {
          const common = Math.min(length, body.length);
          if (other === id || common < NONCE_BYTES) return false;
          const compared = all[at]?.[1] ?? body;
          if (!compared.subarray(0, NONCE_BYTES).equals(body.subarray(0, NONCE_BYTES))) return false;
          return !compared.subarray(0, common).equals(body.subarray(0, common));
        });
      return [...changed, ...all.filter(isReused).map(([id]) => id)];
    },
    /** Lists what the account has stored under a name: content ids. */
    async listStored(name: string): Promise<string[]> {
      const cids: string[] = [];
      for await (const file of iterateFiles({ apiKey, endpoints: devnet.endpoints })) {
        if (file.fileName === name) cids.push(file.cid);
      }
      return cids;
    },
    /** Deletes what the account has stored under a name. */
    async deleteStored(name: string): Promise<void> {
      const account = { apiKey, endpoints: devnet.endpoints };
      for await (const file of iterateFiles(account)) if (file.fileName === name) await deleteFile(file.id, account);
    },
    /** Returns SHA-256 of the bytes of a content id, in hex digits. */
    async readStored(cid: string): Promise<string> {
      const response = await fetch(`${devnet.endpoints.gateway}/ipfs/${cid}`);
      return hash(new Uint8Array(await response.arrayBuffer()));
    },
    /** Returns that of the bytes that have arrived of an upload. */
    readArrived: (id: string) => hash(bodies.get(id) ?? new Uint8Array(0)),
    /** Counts the nodes that have a shard of a file's key. */
    countShards: (cid: string) =>
      [1, 2, 3, 4, 5].filter((node) => devnet.attacks.readShards(cid, [node]).length === 1).length,
    /** Removes an upload, as when it has waited for too long. */
    forget: (id: string) => rm(join(folder, id), { recursive: true, force: true, maxRetries: 10 }),
    /** Stops the server, with all its connections, for some milliseconds, and starts it again. */
    async restart(ms: number) {
      await server.close();
      await pause(ms);
      handle = openHandler();
      server = await listen(serveSite, port);
    },
    /** Takes down what a page tells. */
    tell: (event: unknown) => void events.push(event),
    /** Returns what pages have reported since the last time. */
    takeEvents: () => events.splice(0),
  };
  const controlServer = await listen(serveControls);

  /** Serves what pages tell, and what they ask for; not restarted with the uploads. */
  async function serveControls(request: Request): Promise<Response> {
    const headers = { "Access-Control-Allow-Origin": "*", "Access-Control-Allow-Headers": "*" };
    if (request.method === "OPTIONS") return new Response(null, { headers });
    const { name, values } = (await request.json()) as { name: keyof typeof controls; values: never[] };
    const result = await (controls[name] as (...given: never[]) => unknown)(...values);
    return new Response(JSON.stringify(result ?? null), { headers });
  }

  async function serveSite(request: Request, env: unknown): Promise<Response> {
    const { pathname } = new URL(request.url);
    if (pathname.startsWith(PATH)) return serveUpload(request, (env as { incoming: IncomingMessage }).incoming);
    const page = pages[pathname];
    return page
      ? new Response(page.body, { headers: { "Content-Type": page.type } })
      : new Response("", { status: 404 });
  }

  return {
    devnet,
    ...controls,
    /** URL at which pages call these functions. */
    control: `http://127.0.0.1:${controlServer.port}/`,
    /** Of the site. */
    origin: `http://127.0.0.1:${port}`,
    endpoint: `http://127.0.0.1:${port}${PATH}`,
    async close() {
      await Promise.all([server.close(), controlServer.close()]);
      await devnet.close();
      await rm(folder, { recursive: true, force: true, maxRetries: 10 });
    },
  };
}

const hash = (bytes: Uint8Array): string => createHash("sha256").update(bytes).digest("hex");

/** Serves requests on loopback; `close` ends all connections. */
export async function listen(serve: (request: Request, env: unknown) => Promise<Response>, port = 0) {
  const server = createServer({ requestTimeout: 0 }, getRequestListener(serve, { overrideGlobalObjects: false }));
  await once(server.listen(port, "127.0.0.1"), "listening");
  return {
    port: (server.address() as AddressInfo).port,
    async close() {
      server.closeAllConnections();
      server.close();
      await once(server, "close");
    },
  };
}
