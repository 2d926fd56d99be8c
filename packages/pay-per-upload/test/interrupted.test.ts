import { fork } from "node:child_process";
import { once } from "node:events";
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { createRecoveryIdentity, openJournal, type UploadedFiles } from "../../../src/index.ts";
import { bundleScript } from "../../../test/support/bundle-script.ts";
import { scratch } from "../../../test/support/files.ts";
import { payPerUpload, renewUpload } from "../src/index.ts";
import { actions, type ChildJob, createRunner, interruptedKinds } from "./interrupted.ts";
import { payerForTests, receiptOf } from "./rig.ts";

const { devnet, wallet, terms, reading } = payerForTests({ x402: { honours: true } });

const cases = interruptedKinds.flatMap((kind) => Object.keys(actions).map((action) => [kind, action] as const));

test.each(cases)("%s: %s: paid once, and done in the end", async (kind, action) => {
  const runner = createRunner(devnet(), "");
  try {
    const { payments, paid, isDone, codes } = await runner.run({ kind, action, waitMs: 0, times: 1 });
    expect({ payments, paid, isDone, codes }).toMatchObject({ payments: 1, paid: 1, isDone: true });
  } finally {
    runner.close();
  }
});

test("a process that is killed while it saves the keys of a paid upload leaves the receipt's id", async () => {
  const folder = await scratch();
  const [path, journal, recoveryTo] = ["file.bin", "journal", "kit"].map((name) => join(folder, name)) as [
    string,
    string,
    string,
  ];
  await Promise.all([writeFile(path, crypto.randomUUID()), mkdir(journal, { mode: 0o700 }), mkdir(recoveryTo)]);
  const kit = { recovery: (await createRecoveryIdentity()).recipient, recoveryTo };
  const { endpoints, network } = reading();
  const { privateKey } = wallet();
  const save = { service: "keyNodes", method: "POST", path: "/api/setSharedKey" } as const;
  const restore = devnet().faults.add({ ...save, action: { kind: "hang" } });
  const child = fork(await bundleScript(folder, new URL("./in-child.ts", import.meta.url)), { execArgv: [] });
  const exited = once(child, "exit");
  const job: ChildJob = { kind: "encrypted", path, journal, kit, privateKey, endpoints, network };
  const before = devnet().requests().length;
  child.send(job);
  const isSaving = () =>
    devnet()
      .requests()
      .slice(before)
      .some(({ service, path: called }) => service === save.service && called.startsWith(save.path));
  await expect.poll(isSaving, { interval: 5 }).toBe(true);
  child.kill("SIGKILL");
  await exited;
  restore();
  const entries = await openJournal({ folder: journal });
  const [open] = await entries.list();
  const options = { signer: wallet(), endpoints, pauseMs: 0, payPerUpload: payPerUpload(terms()) };
  const { result } = await entries.resume(open?.id ?? "", options);
  const receipt = receiptOf(result as UploadedFiles);
  expect(receipt.id).toEqual(expect.any(String));
  expect((await renewUpload(receipt, { ...terms(), endpoints })).expiresAt).toBeGreaterThan(receipt.expiresAt ?? 0);
});
