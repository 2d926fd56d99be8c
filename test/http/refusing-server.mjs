// A server in its own thread, so that it disconnects at any moment and not only while the client is idle.
// The bearer configures it: `status/ending/milliseconds/reads`.
import { createServer } from "node:http";
import { parentPort } from "node:worker_threads";

const endings = {
  // The bytes that still arrive end the connection.
  end: () => undefined,
  destroy: (socket) => socket.destroy(),
  reset: (socket) => socket.resetAndDestroy(),
  "reset-later": (socket) => setTimeout(() => socket.resetAndDestroy(), 1),
};

const server = createServer((request, response) => {
  const [status, ending, milliseconds, reads] = request.headers.authorization.slice("Bearer ".length).split("/");
  request.on("error", () => undefined);
  if (reads === "reads") request.resume();
  const refuse = () => {
    if (status !== "silent") {
      response.writeHead(Number(status), { "Content-Type": "application/json", Connection: "close" });
      response.end('{"message":"Not like this"}');
    }
    endings[ending](request.socket);
  };
  if (milliseconds === "0") refuse();
  else setTimeout(refuse, Number(milliseconds));
});

server.listen(0, "127.0.0.1", () => parentPort.postMessage(server.address().port));
