import { once } from "node:events";
import { type AddressInfo, connect, createServer, type Socket } from "node:net";
import { createGate } from "../../../test/support/gate.ts";

/** Passes connections to a database on, until a process is as if suspended. */
export interface Holder {
  /** URL in place of the database's. */
  url: string;
  /** Resolves once the text is sent: from then on nothing passes in any direction, not even the end of a connection. */
  held: Promise<void>;
  /** Lets everything pass. */
  release(): void;
  close(): Promise<void>;
}

/** Starts to pass connections on until a client sends a query with `text`, which is held, too. */
export async function startHolder(database: string, text: string): Promise<Holder> {
  const target = new URL(database);
  const sockets = new Set<Socket>();
  const waiting: (() => void)[] = [];
  let state: "passing" | "holding" | "released" = "passing";
  const gate = createGate();

  function pass(act: () => void): void {
    if (state === "holding") waiting.push(act);
    else act();
  }

  const server = createServer({ allowHalfOpen: true }, (client) => {
    const upstream = connect({ port: Number(target.port), host: target.hostname, allowHalfOpen: true });
    client.on("data", (chunk) => {
      if (state !== "passing" || !chunk.includes(text)) return;
      state = "holding";
      gate.reach();
    });
    for (const [from, to] of [
      [client, upstream],
      [upstream, client],
    ] as const) {
      sockets.add(from);
      from.on("error", () => undefined).once("close", () => sockets.delete(from));
      from.on("data", (chunk) => pass(() => to.write(chunk)));
      from.once("end", () => pass(() => to.end()));
    }
  });
  await once(server.listen(0, "127.0.0.1"), "listening");
  const url = new URL(database);
  url.host = `127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    url: url.href,
    held: gate.reached,
    release() {
      state = "released";
      for (const act of waiting.splice(0)) act();
    },
    async close() {
      server.close();
      for (const socket of sockets) socket.destroy();
      await once(server, "close");
    },
  };
}
