import type { RequestBody, StackRequest, StackResponse } from "../../src/platform/types.ts";
import type { Client } from "./client.ts";
import type { Random } from "./random.ts";
import { createSaltRecord, type SaltRecord } from "./salt-record.ts";
import type { ReceivedRequest, Services, WholeResponse } from "./services.ts";
import { hold, now } from "./virtual-time.ts";
import { type Climate, drawFate, drawMisbehaviour, type Fate, misbehave } from "./weather.ts";

/** The network between clients and services, with its faults. */
export interface SimulatedNetwork {
  services: Services;
  /** Key nodes that are stopped. */
  stopped: Set<number>;
  climate: Climate;
  salts: SaltRecord;
  /** Sends a client's requests. */
  send(client: Client, request: StackRequest): Promise<StackResponse>;
  /** Ends all faults. */
  heal(): void;
}

const HEALTHY: Climate = { faultRate: 0, faultyNodes: [], misbehaviourRate: 0 };

/**
 * Connects clients to services; healthy at first. A request never arrives after its sender gave it up: with this protocol nothing could
 * prevent an old share from taking effect after a later revoke then.
 */
export function createSimulatedNetwork(
  services: Services,
  random: Random,
  trace: (line: string) => void,
): SimulatedNetwork {
  const network: SimulatedNetwork = {
    services,
    stopped: new Set(),
    climate: HEALTHY,
    salts: createSaltRecord(),
    send,
    heal() {
      network.climate = HEALTHY;
      network.stopped.clear();
    },
  };

  async function send(client: Client, request: StackRequest): Promise<StackResponse> {
    if (client.death.aborted) throw new Error("the client is dead");
    const gone = new AbortController();
    const end = () => gone.abort();
    const signals = [request.signal, client.death];
    for (const signal of signals) signal.addEventListener("abort", end, { once: true });
    const form = typeof request.body === "object" ? request.body : undefined;
    try {
      return await exchange(client, gone.signal, await receive(request, form, gone.signal));
    } catch (error) {
      form?.onFailure?.({ writableFinished: true });
      throw error;
    } finally {
      for (const signal of signals) signal.removeEventListener("abort", end);
    }
  }

  /** Reads a whole request. */
  async function receive(
    request: StackRequest,
    form: RequestBody | undefined,
    gone: AbortSignal,
  ): Promise<ReceivedRequest> {
    const { pathname, search } = new URL(request.url);
    const [, service = ""] = pathname.split("/");
    const body = form ? await readForm(form, gone) : Buffer.from((request.body as string | undefined) ?? "");
    const headers = Object.fromEntries(
      Object.entries({ ...request.headers, ...form?.headers }).map(([name, value]) => [name.toLowerCase(), value]),
    );
    const path = pathname.slice(service.length + 1) + search;
    return { service: service as ReceivedRequest["service"], method: request.method, path, headers, body };
  }

  /** Reads a body, of which the network may drop the rest. */
  async function readForm(form: RequestBody, gone: AbortSignal): Promise<Uint8Array> {
    const chunks: Uint8Array[] = [];
    const isCut = random.chance(network.climate.faultRate / 4);
    let remaining = isCut ? random.below(4_000) : Number.POSITIVE_INFINITY;
    try {
      for await (const chunk of form.data as AsyncIterable<Uint8Array>) {
        if (gone.aborted) throw new Error("the client is dead");
        chunks.push(chunk.slice());
        remaining -= chunk.length;
        if (remaining < 0) throw Object.assign(new Error("the connection broke"), { code: "ECONNRESET" });
      }
    } finally {
      network.salts.add(Buffer.concat(chunks), form.headers["Content-Type"] ?? "");
    }
    return Buffer.concat(chunks);
  }

  async function exchange(client: Client, gone: AbortSignal, request: ReceivedRequest): Promise<StackResponse> {
    const { method, path, service } = request;
    const node = service === "keyNodes" ? Number(/\/(\d)$/.exec(path)?.[1] ?? 0) || undefined : undefined;
    const isDown = node !== undefined && network.stopped.has(node);
    const fate = isDown
      ? { ...drawFate(random, HEALTHY, request), ...DOWN }
      : drawFate(random, network.climate, request);
    const misbehaviour = isDown ? undefined : drawMisbehaviour(random, network.climate, node, method, path);
    trace(`${now()} ${client.name} ${method} ${service}${path} ${fate.name}${misbehaviour ? `, ${misbehaviour}` : ""}`);

    const carryOut = async (): Promise<WholeResponse | undefined> => {
      let response: WholeResponse | undefined;
      for (let time = 0; time < fate.times; time++) response = await hold(() => serve(request, node, misbehaviour));
      return fate.response ?? response;
    };
    try {
      await travel(fate.arrivesAfter, fate.breaks, gone);
    } catch (error) {
      if (gone.aborted && fate.outlivesClient) {
        trace(`${now()} ${client.name} is gone, ${method} ${service}${path} arrives`);
        await carryOut();
      }
      throw error;
    }
    const response = await carryOut();
    await travel(fate.respondsAfter, fate.breaks, gone);
    if (!response) throw new Error("no response");
    trace(`${now()} ${client.name} ${service}${path.slice(0, 40)}: ${response.status}`);
    return toStackResponse(response);
  }

  async function serve(
    request: ReceivedRequest,
    node: number | undefined,
    misbehaviour: ReturnType<typeof drawMisbehaviour>,
  ) {
    const files = node === undefined ? undefined : services.nodes[node - 1];
    if (misbehaviour && files)
      return misbehave(misbehaviour, request, files, (options) => services.serve(request, options));
    // What the nodes report about a file is what one of them knows.
    const running = [1, 2, 3, 4, 5].filter((one) => !network.stopped.has(one));
    const reporter = random.pick(running);
    services.network.stoppedNodes.clear();
    for (const one of [1, 2, 3, 4, 5]) if (one !== reporter) services.network.stoppedNodes.add(one);
    return services.serve(request);
  }

  return network;
}

const DOWN: Partial<Fate> = {
  name: "node is down",
  times: 0,
  arrivesAfter: Number.POSITIVE_INFINITY,
  breaks: true,
  outlivesClient: false,
};

/** Resolves after `ms`. A message that never arrives breaks the connection soon, or leaves the client waiting. */
function travel(ms: number, breaks: boolean, gone: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const fail = () => {
      clearTimeout(timer);
      reject(Object.assign(new Error("the connection broke"), { code: "ECONNRESET" }));
    };
    const isLost = ms === Number.POSITIVE_INFINITY;
    const timer = isLost && !breaks ? undefined : setTimeout(isLost ? fail : end, isLost ? 5 : ms);
    function end() {
      gone.removeEventListener("abort", fail);
      resolve();
    }
    if (gone.aborted) fail();
    else gone.addEventListener("abort", fail, { once: true });
  });
}

function toStackResponse({ status, headers, body }: WholeResponse): StackResponse {
  async function* chunks(): AsyncGenerator<Uint8Array> {
    if (body.length > 0) yield body;
  }
  return { status, headers, chunks: chunks(), size: body.length, endIsProven: true, close: () => undefined };
}
