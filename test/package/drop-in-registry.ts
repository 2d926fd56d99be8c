import { execFile } from "node:child_process";
import { readFile } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";

const root = fileURLToPath(new URL("../../", import.meta.url));

/** A registry with packages of this checkout, as they would be published. */
export interface DropInRegistry {
  url: string;
  close(): void;
}

/** Packs folders of this checkout, which are built, and serves them as a registry does. */
export async function serveRegistry(folders: readonly string[], scratch: string): Promise<DropInRegistry> {
  /** What is responded, by path. */
  const files = new Map<string, string | Buffer>();
  const server = createServer(({ url = "" }, response) => {
    const file = files.get(decodeURIComponent(url));
    response.writeHead(file === undefined ? 404 : 200).end(file);
  }).listen(0, "127.0.0.1");
  await new Promise((listening) => server.once("listening", listening));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  for (const folder of folders) {
    const args = ["pack", "--ignore-scripts", "--json", "--pack-destination", scratch];
    const { stdout } = await promisify(execFile)("npm", args, { cwd: join(root, folder) });
    const [{ filename, integrity }] = JSON.parse(stdout);
    const manifest = JSON.parse(await readFile(join(root, folder, "package.json"), "utf8"));
    const { name, version } = manifest;
    const dist = { tarball: `${url}/${filename}`, integrity };
    files.set(`/${filename}`, await readFile(join(scratch, filename)));
    const versions = { [version]: { ...manifest, dist } };
    files.set(`/${name}`, JSON.stringify({ name, "dist-tags": { latest: version }, versions }));
  }
  return {
    url,
    close() {
      server.closeAllConnections();
      server.close();
    },
  };
}
