import { spawnSync } from "node:child_process";
import { once } from "node:events";
import { chownSync, existsSync, mkdtempSync, readdirSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { env, getuid } from "node:process";
import { startKeptServer } from "./kept-server.ts";

/** A database server of a test, which ends with the process that started it. */
export interface TestDatabase {
  url: string;
  stop(): Promise<void>;
}

const POSTGRES = "/usr/lib/postgresql";

/** Starts PostgreSQL on a free port, with a folder of its own; no test takes the machine's power, so it does not wait for the disk. */
export async function startPostgres(): Promise<TestDatabase> {
  const bin = ensureProgram("postgresql", findPostgres);
  const port = await findFreePort();
  const folder = mkdtempSync(join(tmpdir(), "keeplight-postgres-"));
  const user = getServerUser();
  if (user) chownSync(folder, user.uid, user.gid);
  const data = join(folder, "data");
  const args = ["--no-sync", "-D", data, "-U", "keeplight", "-A", "trust", "-E", "UTF8"];
  const made = spawnSync(join(bin, "initdb"), args, { ...user, cwd: folder, encoding: "utf8" });
  if (made.status !== 0) throw new Error(`initdb failed: ${made.stderr}`);
  const { stop } = await startKeptServer(
    [
      join(bin, "postgres"),
      ..."-h 127.0.0.1 -c max_connections=200 -c fsync=off".split(" "),
      "-D",
      data,
      "-p",
      `${port}`,
      "-k",
      folder,
    ],
    // Fast: ends the connections that are left.
    { folder, signal: "INT", ready: "ready to accept connections", user },
  );
  return { url: `postgres://keeplight@127.0.0.1:${port}/postgres`, stop };
}

/** Starts Redis on a free port, with a folder of its own. */
export async function startRedis(): Promise<TestDatabase> {
  const bin = ensureProgram("redis-server", () => findInPath("redis-server"));
  const port = await findFreePort();
  const folder = mkdtempSync(join(tmpdir(), "keeplight-redis-"));
  const { stop } = await startKeptServer(
    [bin, "--port", `${port}`, "--bind", "127.0.0.1", "--dir", folder, "--save", "", "--appendonly", "yes"],
    { folder, signal: "TERM", ready: "Ready to accept connections" },
  );
  return { url: `redis://127.0.0.1:${port}`, stop };
}

/** Returns where a program is; installs Debian's package as root (a bare CI container). */
function ensureProgram(debianPackage: string, find: () => string | undefined): string {
  const found = find();
  if (found !== undefined) return found;
  if (getuid?.() === 0 && existsSync("/etc/debian_version")) {
    for (const args of [["update"], ["install", "-y", "--no-install-recommends", debianPackage]]) {
      spawnSync("apt-get", ["-q", ...args], { stdio: "ignore", env: { ...env, DEBIAN_FRONTEND: "noninteractive" } });
    }
  }
  const installed = find();
  if (installed === undefined) throw new Error(`These tests run ${debianPackage}. Please install it (Debian's name).`);
  return installed;
}

function findPostgres(): string | undefined {
  const versions = existsSync(POSTGRES) ? readdirSync(POSTGRES).sort() : [];
  const folder = versions.map((version) => join(POSTGRES, version, "bin")).findLast((bin) => existsSync(bin));
  const inPath = findInPath("postgres");
  return folder ?? (inPath === undefined ? undefined : join(inPath, ".."));
}

function findInPath(name: string): string | undefined {
  return (env["PATH"] ?? "")
    .split(":")
    .map((folder) => join(folder, name))
    .find((path) => existsSync(path));
}

/** PostgreSQL refuses to run as root. */
function getServerUser(): { uid: number; gid: number } | undefined {
  if (getuid?.() !== 0) return undefined;
  const read = (flag: string) => Number(spawnSync("id", [flag, "postgres"], { encoding: "utf8" }).stdout);
  return { uid: read("-u"), gid: read("-g") };
}

/** Returns a port of this machine on which nothing listens. */
export async function findFreePort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  server.close();
  await once(server, "close");
  return typeof address === "object" && address ? address.port : 0;
}
