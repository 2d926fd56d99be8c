import { fork } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import type { Endpoints } from "../../src/base/options.ts";

/** The incumbent, running in its own process. */
export interface Incumbent {
  /** Runs one of its functions: those of the SDK by name, those of kavach 0.2.1 as `kavach.name`. */
  call<Result>(name: string, ...args: unknown[]): Promise<Result>;
  stop(): Promise<void>;
}

/** Starts the incumbent and points it at `endpoints`. */
export async function startIncumbent(endpoints: Endpoints): Promise<Incumbent> {
  const script = fileURLToPath(new URL("incumbent.cjs", import.meta.url));
  const child = fork(script, { serialization: "advanced", execArgv: [] });
  const waiting = new Map<number, { resolve: (value: unknown) => void; reject: (error: Error) => void }>();
  let nextId = 0;
  child.on("message", ({ id, result, error }: { id: number; result?: unknown; error?: string }) => {
    const caller = waiting.get(id);
    waiting.delete(id);
    if (error === undefined) caller?.resolve(result);
    else caller?.reject(new Error(error));
  });
  child.once("exit", () => {
    for (const { reject } of waiting.values()) reject(new Error("the incumbent's process has ended"));
  });
  const request = (message: object) =>
    new Promise<unknown>((resolve, reject) => {
      const id = nextId++;
      waiting.set(id, { resolve, reject });
      child.send({ id, ...message });
    });

  await request({ endpoints });
  return {
    call: <Result>(name: string, ...args: unknown[]) => request({ call: name, args }) as Promise<Result>,
    async stop() {
      // It may have ended by itself; otherwise a connection that it keeps open can hold it for long.
      if (child.exitCode !== null || child.signalCode !== null) return;
      const exited = once(child, "exit");
      child.kill();
      await exited;
    },
  };
}
