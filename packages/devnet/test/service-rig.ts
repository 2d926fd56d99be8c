import { spawn } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { onTestFinished } from "vitest";
import type { Devnet, DevnetOptions } from "../src/index.ts";

/** What a devnet in another process prints once it runs. */
type Described = Pick<Devnet, "endpoints" | "accounts"> & { control: string };

/** Runs a devnet in a separate process; it ends with the running test at the latest. Rejects if it was refused. */
export async function startService(options: DevnetOptions) {
  const script = fileURLToPath(new URL("./start-service.ts", import.meta.url));
  const args = ["--import", "tsx", "--conditions=keeplight-source", script, JSON.stringify(options)];
  const child = spawn(process.execPath, args, { stdio: ["pipe", "pipe", "inherit"] });
  onTestFinished(() => void child.kill("SIGKILL"));
  const exited = once(child, "exit");
  const [printed] = (await once(child.stdout.setEncoding("utf8"), "data")) as [string];
  const described = JSON.parse(printed) as Described & { code?: string };
  if (described.code !== undefined) throw described;
  return {
    ...described,
    /** Ends the process as nothing can prevent. */
    async kill(): Promise<void> {
      child.kill("SIGKILL");
      await exited;
    },
  };
}

export type Service = Awaited<ReturnType<typeof startService>>;
