import type { IncomingMessage } from "node:http";
import { Readable, Writable } from "node:stream";
import type { HttpBindings } from "@hono/node-server";
import type { Hono } from "hono";
import { createApiService } from "../../packages/devnet/src/api-service.ts";
import type { Service } from "../../packages/devnet/src/faults.ts";
import { createGatewayService } from "../../packages/devnet/src/gateway/service.ts";
import type { Env } from "../../packages/devnet/src/http/json.ts";
import { createKeyNodesService } from "../../packages/devnet/src/key-nodes/service.ts";
import {
  createShardStore,
  type ShardStore,
  type StoredShard,
} from "../../packages/devnet/src/key-nodes/shard-store.ts";
import { createNetwork, type Network } from "../../packages/devnet/src/network.ts";
import { resolveOptions } from "../../packages/devnet/src/options.ts";
import { createUploadService } from "../../packages/devnet/src/upload/service.ts";
import { createX402Service } from "../../packages/devnet/src/x402/service.ts";
import { createQuickAuth } from "./quick-auth.ts";
import type { Random } from "./random.ts";

/** A request as a service receives it. */
export interface ReceivedRequest {
  service: Service;
  method: string;
  /** Path and query. */
  path: string;
  headers: Readonly<Record<string, string>>;
  body: Uint8Array;
}

/** A whole response. */
export interface WholeResponse {
  status: number;
  headers: Readonly<Record<string, string>>;
  body: Uint8Array;
}

/** One key node's files, with what a faulty node may use. */
export interface NodeFiles extends ShardStore {
  /** Loses a file. */
  lose(cid: string): void;
  /** Returns what was stored first, as a node that restored a backup has it. */
  first(cid: string): StoredShard | undefined;
  /** Content ids of all files that it has. */
  list(): string[];
}

/** The network's services, called without sockets. */
export interface Services {
  network: Network;
  /** Of node n at n - 1. */
  nodes: readonly NodeFiles[];
  /** Serves a request. With `isForged`, a key node returns a wrong shard. */
  serve(request: ReceivedRequest, options?: { isForged?: boolean }): Promise<WholeResponse>;
}

/** Creates a network without users, whose content is in `dataDir`. */
export async function createServices(dataDir: string, random: Random): Promise<Services> {
  const nodes = Array.from({ length: 5 }, createNodeFiles);
  const created = await createNetwork(resolveOptions({}), dataDir, undefined);
  // Some tokens expire during a history.
  const auth = createQuickAuth(created.auth, random.pick([20, 3_600]), random);
  const network: Network = { ...created, auth, shardStores: nodes };
  const apps: Record<Service, Hono<Env>> = {
    api: createApiService(network),
    upload: createUploadService(network),
    walrusUpload: createUploadService(network, "walrus"),
    x402: createX402Service(network, "http://gateway.test"),
    gateway: createGatewayService(network),
    keyNodes: createKeyNodesService(network),
  };
  return {
    network,
    nodes,
    async serve({ service, method, path, headers, body }, { isForged = false } = {}) {
      const incoming = createIncoming({ method, path, headers, body });
      const outgoing = new Outgoing();
      if (isForged) network.forgedRequests.add(incoming);
      const request = new Request(`http://${service}.test${path}`, { method, headers });
      const response = await apps[service].fetch(request, { incoming, outgoing } as unknown as HttpBindings);
      if (outgoing.chunks) return { status: outgoing.statusCode, headers: {}, body: Buffer.concat(outgoing.chunks) };
      const bytes = new Uint8Array(await response.arrayBuffer());
      return { status: response.status, headers: Object.fromEntries(response.headers), body: bytes };
    },
  };
}

function createNodeFiles(): NodeFiles {
  const files = new Map<string, StoredShard>();
  const firsts = new Map<string, StoredShard>();
  return {
    ...createShardStore(),
    get: (cid) => files.get(cid),
    set(cid, stored) {
      if (!firsts.has(cid)) firsts.set(cid, stored);
      files.set(cid, stored);
    },
    lose: (cid) => void files.delete(cid),
    first: (cid) => firsts.get(cid),
    list: () => [...files.keys()],
  };
}

function createIncoming({ method, path, headers, body }: Omit<ReceivedRequest, "service">): IncomingMessage {
  const incoming = Readable.from(body.length === 0 ? [] : [body], { objectMode: false });
  return Object.assign(incoming, { method, url: path, headers, complete: true }) as unknown as IncomingMessage;
}

/** The response of a service that writes it instead of returning it. */
class Outgoing extends Writable {
  statusCode = 200;
  /** Undefined until the status is written. */
  chunks: Uint8Array[] | undefined;

  setHeader(): this {
    return this;
  }

  writeHead(status: number): this {
    this.statusCode = status;
    this.chunks = [];
    return this;
  }

  override _write(chunk: Uint8Array, _encoding: string, done: () => void): void {
    this.chunks?.push(chunk);
    done();
  }
}
