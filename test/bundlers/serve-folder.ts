import { once } from "node:events";
import { createReadStream } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { extname, join, normalize } from "node:path";

const types: Readonly<Record<string, string>> = { ".html": "text/html", ".js": "text/javascript" };

/** Serves the files of a folder on loopback; `/` is its index.html. */
export async function serveFolder(folder: string): Promise<{ url: string; close(): Promise<void> }> {
  const server = createServer(({ url = "/" }, response) => {
    const path = normalize(url === "/" ? "/index.html" : url);
    const file = createReadStream(join(folder, path));
    file.once("open", () =>
      response.writeHead(200, { "content-type": types[extname(path)] ?? "application/octet-stream" }),
    );
    file.once("error", () => response.writeHead(404).end());
    file.pipe(response);
  });
  await once(server.listen(0, "127.0.0.1"), "listening");
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}/`,
    async close() {
      server.closeAllConnections();
      server.close();
      await once(server, "close");
    },
  };
}
