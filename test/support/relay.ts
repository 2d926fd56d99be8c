import { once } from "node:events";
import { type AddressInfo, connect, createServer, type Socket } from "node:net";

/** Bytes on their way in one direction, of which a longer queue makes the sender wait. */
const MAX_QUEUED_BYTES = 32 * 1024 * 1024;

/** Passes connections on, later. */
export interface Relay {
  /** Base URL in place of the service's. */
  url: string;
  /** Bytes that the service has sent. */
  countReceived(): number;
  close(): Promise<void>;
}

/** Starts a relay to a service on loopback that delays each direction by some milliseconds, without limiting its rate. */
export async function startRelay(service: string, delayMs: number): Promise<Relay> {
  const { hostname, port, protocol } = new URL(service);
  const sockets = new Set<Socket>();
  let received = 0;
  const server = createServer((client) => {
    const upstream = connect(Number(port), hostname);
    for (const socket of [client, upstream]) {
      sockets.add(socket.setNoDelay());
      socket.on("error", () => undefined).once("close", () => sockets.delete(socket));
    }
    upstream.on("data", (chunk) => {
      received += chunk.length;
    });
    passLater(client, upstream, delayMs);
    passLater(upstream, client, delayMs);
  });
  await once(server.listen(0, "127.0.0.1"), "listening");
  return {
    url: `${protocol}//127.0.0.1:${(server.address() as AddressInfo).port}`,
    countReceived: () => received,
    async close() {
      server.close();
      for (const socket of sockets) socket.destroy();
      await once(server, "close");
    },
  };
}

/** Writes each chunk, and the end, once the delay is over, in order. */
function passLater(from: Socket, to: Socket, delayMs: number): void {
  let queued = 0;
  from.on("data", (chunk) => {
    queued += chunk.length;
    if (queued > MAX_QUEUED_BYTES) from.pause();
    setTimeout(() => {
      to.write(chunk, () => {
        queued -= chunk.length;
        if (queued <= MAX_QUEUED_BYTES) from.resume();
      });
    }, delayMs);
  });
  from.once("end", () => setTimeout(() => to.end(), delayMs));
  from.once("close", (isError) => isError && to.destroy());
}
