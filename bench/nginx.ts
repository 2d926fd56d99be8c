import { once } from "node:events";
import { existsSync } from "node:fs";
import { mkdtemp, readFile, writeFile } from "node:fs/promises";
import { type AddressInfo, createServer } from "node:net";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { env } from "node:process";
import { issueCertificate } from "../packages/devnet/src/http/certificate.ts";
import { startKeptServer } from "../test/support/kept-server.ts";

const MEMORY = "/dev/shm";

/** nginx before an upload host: it takes each body over HTTP/2 and TLS as a whole, and only then passes it on. */
export interface Nginx {
  url: string;
  /** Seconds until nginx had the whole body of the largest request since the last call. */
  readReceivingSeconds(): Promise<number>;
  close(): Promise<void>;
}

export const nginxHint = "No nginx found. Install it (Debian: apt-get install nginx-light).";

/** Returns the path of nginx, if it is installed. */
export function findNginx(): string | undefined {
  const folders = [...(env["PATH"] ?? "").split(delimiter), "/usr/sbin", "/usr/local/sbin"];
  return folders.map((folder) => join(folder, "nginx")).find((path) => existsSync(path));
}

/** Starts nginx on a free port. Bodies are kept in memory until the upload host has responded. */
export async function startNginx(executablePath: string, uploadHost: string): Promise<Nginx> {
  const folder = await mkdtemp(join(existsSync(MEMORY) ? MEMORY : tmpdir(), "keeplight-nginx-"));
  const probe = createServer().listen(0, "127.0.0.1");
  await once(probe, "listening");
  const { port } = probe.address() as AddressInfo;
  await once(probe.close(), "close");
  const { cert, key } = issueCertificate();
  await Promise.all([writeFile(join(folder, "cert.pem"), cert), writeFile(join(folder, "key.pem"), key)]);
  const kinds = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"];
  const config = `
    daemon off;
    # One process, of the user who starts it.
    master_process off;
    pid nginx.pid;
    error_log stderr notice;
    events {}
    http {
      log_format sizes '$request_length $request_time $upstream_response_time';
      access_log requests.log sizes;
      ${kinds.map((kind) => `${kind}_temp_path ${kind};`).join(" ")}
      client_max_body_size 0;
      client_body_buffer_size 1m;
      server {
        listen 127.0.0.1:${port} ssl http2;
        ssl_certificate cert.pem;
        ssl_certificate_key key.pem;
        location / {
          proxy_pass ${uploadHost};
          proxy_http_version 1.1;
          proxy_request_buffering on;
          proxy_read_timeout 600s;
        }
      }
    }`;
  await writeFile(join(folder, "nginx.conf"), config);
  const command = [executablePath, "-e", "stderr", "-p", folder, "-c", "nginx.conf"];
  const { stop } = await startKeptServer(command, { folder, signal: "TERM", ready: "getrlimit" });
  let readBefore = 0;
  return {
    url: `https://127.0.0.1:${port}`,
    async readReceivingSeconds() {
      const lines = (await readFile(join(folder, "requests.log"), "utf8")).trimEnd().split("\n");
      const requests = lines.slice(readBefore).map((line) => line.split(" ").map(Number));
      readBefore = lines.length;
      const [, whole = Number.NaN, passedOn = 0] = requests.sort(([one = 0], [other = 0]) => other - one)[0] ?? [];
      return whole - passedOn;
    },
    close: stop,
  };
}
