import { setMaxListeners } from "node:events";
import type { Endpoints } from "../../src/index.ts";
import type { StackRequest, StackResponse } from "../../src/platform/types.ts";
import type { MemoryJournal } from "./memory-journal.ts";

/** A process that uses the kit. Once it is killed, nothing that it still does has any effect. */
export interface Client {
  /** Whose it is and a number: `alice-2`. */
  name: string;
  /** No other client, of any history, has the same: they share nothing that the kit keeps by host. */
  endpoints: Endpoints;
  journal: MemoryJournal;
  /** Sends its requests. */
  sendRequest(request: StackRequest): Promise<StackResponse>;
  /** Fires when it is killed. */
  death: AbortSignal;
  kill(): void;
}

const clients = new Map<string, Client>();
let created = 0;

/** Starts a process. */
export function startClient(
  name: string,
  journal: MemoryJournal,
  send: (client: Client, request: StackRequest) => Promise<StackResponse>,
): Client {
  const host = `client-${++created}.test`;
  const death = new AbortController();
  setMaxListeners(0, death.signal);
  const [api, upload, gateway, keyNodes] = ["api", "upload", "gateway", "keyNodes"].map(
    (one) => `http://${host}/${one}`,
  );
  const client: Client = {
    name,
    endpoints: { api, upload, gateway, keyNodes } as Endpoints,
    journal,
    sendRequest: (request) => send(client, request),
    death: death.signal,
    kill: () => death.abort(),
  };
  clients.set(host, client);
  return client;
}

/** Finds a client by a URL of its endpoints, which is also the place of its journal. */
export function findClient(url: string): Client {
  const client = clients.get(new URL(url).hostname);
  if (!client) throw new Error("its history is over");
  return client;
}

/** Forgets all clients: what they still do fails. */
export function endClients(): void {
  clients.clear();
}
