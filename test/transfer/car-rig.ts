import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { onTestFinished } from "vitest";
import type { Devnet, DevnetOptions } from "../../packages/devnet/src/index.ts";
import { account, getApiKey } from "../support/devnet-wire.ts";
import { nextMessage } from "../support/next-message.ts";
import type { Done, Task } from "./car-client.ts";

/** A client and a devnet, each in its own process. */
export interface CarRig {
  /** Runs a task in the client; also returns the peak memory of both processes. */
  run(task: Task): Promise<Done & { devnetPeakMib: number }>;
}

/** Starts both; they end with the test. */
export async function startCarRig(options: DevnetOptions): Promise<CarRig> {
  const server = start("../../packages/devnet/test/memory-server.ts", [JSON.stringify(options)]);
  const devnet = await nextMessage<Devnet>(server);
  const client = start("car-client.ts", [
    JSON.stringify(devnet.endpoints),
    await getApiKey(devnet, account(devnet, 0)),
  ]);
  return {
    async run(task) {
      client.send(task);
      const done = await nextMessage<Done>(client);
      server.send("peak");
      return { ...done, devnetPeakMib: await nextMessage<number>(server) };
    },
  };
}

function start(script: string, args: readonly string[]): ChildProcess {
  const path = fileURLToPath(new URL(script, import.meta.url));
  const child = fork(path, args, { execArgv: ["--import", "tsx", "--conditions=keeplight-source"] });
  const ended = once(child, "exit");
  onTestFinished(async () => {
    if (child.connected) child.disconnect();
    await ended;
  });
  return child;
}
