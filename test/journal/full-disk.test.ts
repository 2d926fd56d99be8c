import { execFile, fork } from "node:child_process";
import { once } from "node:events";
import { promisify } from "node:util";
import { Wallet } from "ethers";
import { expect, onTestFinished, test } from "vitest";
import { decrypt, openJournal } from "../../src/index.ts";
import { as } from "../kavach/saved-keys.ts";
import { bundleScript } from "../support/bundle-script.ts";
import { account, devnetForTests, getApiKey } from "../support/devnet-wire.ts";
import { eventually } from "../support/eventually.ts";
import { scratch } from "../support/files.ts";
import type { FullDiskJob } from "./full-disk-in-child.ts";

const devnet = devnetForTests();

// Only Linux can limit what a process writes that is already running.
test.skipIf(process.platform !== "linux")(
  "a process that can write nothing more releases its operations, and another one continues them",
  async () => {
    const [folder, out] = [await scratch(), await scratch()];
    const script = await bundleScript(out, new URL("./full-disk-in-child.ts", import.meta.url));
    const child = fork(script, { stdio: ["ignore", "ignore", "inherit", "ipc"], execArgv: [] });
    onTestFinished(() => void child.kill("SIGKILL"));
    const { privateKey } = account(devnet(), 0);
    const apiKey = await getApiKey(devnet(), new Wallet(privateKey));
    const { endpoints } = devnet();
    child.send({ journal: folder, privateKey, apiKey, endpoints } satisfies FullDiskJob);
    const journal = await openJournal({ folder });
    const countSaved = () =>
      devnet()
        .requests()
        .filter(({ path, status }) => path.includes("setSharedKey") && status === 200).length;
    await eventually(() => expect(countSaved()).toBe(1));
    expect(await journal.list()).toEqual([expect.objectContaining({ kind: "upload", worker: "elsewhere" })]);

    await promisify(execFile)("prlimit", ["--pid", String(child.pid), "--fsize=0:0"]);
    const ended = once(child, "message");
    child.send("stop");
    expect(await ended).toEqual(["ABORTED", undefined]);

    const [open] = await journal.list();
    expect(open).not.toHaveProperty("worker");
    const resumed = await journal.resume(open?.id ?? "", { ...as(devnet(), 0), apiKey });
    expect(await journal.list()).toEqual([]);
    expect(child.exitCode).toBeNull();
    const cid = resumed.kind === "upload" ? resumed.result[0].Hash : "";
    expect(new TextDecoder().decode(await decrypt(cid, as(devnet(), 0)))).toBe("a letter");
  },
);
