import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll } from "vitest";
import type { PaymentNetwork, PaymentToken } from "../../../src/base/config/networks.ts";
import { bundleScript } from "../../support/bundle-script.ts";

/** What a server is to pay; the other fields are options of the call. */
export interface ServerPayment {
  orderId: string;
  network: PaymentNetwork;
  token: PaymentToken;
  amount: bigint;
  privateKey?: string | undefined;
  /** Pays with the wallet at this URL, whose account is `address`. */
  walletUrl?: string | undefined;
  address?: string | undefined;
  /** Of its journal. Default none. */
  folder?: string | undefined;
  abortAfterMs?: number | undefined;
  waitMs?: number;
  missingMs?: number;
  searchBlocks?: number;
}

export interface ServerCall {
  id: number;
  options: ServerPayment;
}

/** How a payment of a server ended. */
export interface ServerReport {
  hash?: string;
  code?: string;
  message?: string;
  details?: Record<string, unknown>;
  isUnfinished?: boolean;
}

/** A process that makes payments. */
export interface PayServer {
  child: ChildProcess;
  /** Resolves to `{ code: "KILLED" }` if the process ends before. */
  pay(payment: ServerPayment): Promise<ServerReport>;
  kill(): Promise<void>;
}

interface Message {
  id: number;
  report: ServerReport;
}

async function start(script: string): Promise<PayServer> {
  const child = fork(script, {
    stdio: ["ignore", "ignore", "inherit", "ipc"],
    execArgv: [],
    serialization: "advanced",
  });
  const open = new Map<number, (report: ServerReport) => void>();
  let calls = 0;
  child.on("message", ({ id, report }: Message) => {
    open.get(id)?.(report);
    open.delete(id);
  });
  child.on("exit", () => {
    for (const end of open.values()) end({ code: "KILLED" });
  });
  await once(child, "message");
  return {
    child,
    pay: (options) =>
      new Promise((resolve) => {
        const id = ++calls;
        open.set(id, resolve);
        if (child.connected) child.send({ id, options });
        else resolve({ code: "KILLED" });
      }),
    async kill() {
      if (child.exitCode !== null || child.signalCode !== null) return;
      const ended = once(child, "exit");
      child.kill("SIGKILL");
      await ended;
    },
  };
}

/** Starts servers for all tests of a file; `start` starts another one. */
export function serversForTests(count: number) {
  const servers: PayServer[] = [];
  let folder = "";
  let script = "";
  const startOne = async (): Promise<PayServer> => {
    const server = await start(script);
    servers.push(server);
    return server;
  };
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), "keeplight-servers-"));
    script = await bundleScript(folder, new URL("./pay-server.ts", import.meta.url));
    await Promise.all(Array.from({ length: count }, startOne));
  });
  afterAll(async () => {
    await Promise.all(servers.map((server) => server.kill()));
    await rm(folder, { recursive: true, force: true });
  });
  return {
    start: startOne,
    /** The n-th of those that were started at first. */
    get(at: number): PayServer {
      const server = servers[at];
      if (!server) throw new Error("the servers are there only while tests run");
      return server;
    },
  };
}
