import { Wallet } from "ethers";
import { expect, test } from "vitest";
import { decrypt, iterateFiles, openJournal, uploadEncrypted } from "../../src/index.ts";
import { as } from "../kavach/saved-keys.ts";
import { account, devnetForTests, getApiKey } from "../support/devnet-wire.ts";
import { failure } from "../support/failure.ts";
import { scratch } from "../support/files.ts";
import { bundleChild, forkChild, paces, runAndKill } from "./child.ts";

const devnet = devnetForTests();

test("of two processes that resume a journal at once, one completes each operation", async () => {
  const [folder, script] = [await scratch(), await bundleChild(await scratch())];
  const { privateKey } = account(devnet(), 0);
  const apiKey = await getApiKey(devnet(), new Wallet(privateKey));
  const journal = await openJournal({ folder });
  devnet().stopNode(3);
  const interrupted = { ...as(devnet(), 0), apiKey, attempts: 1, journal };
  for (let at = 0; at < 6; at++) await failure(uploadEncrypted(new File([`${at}`], `${at}.txt`), interrupted));
  devnet().startNode(3);
  const open = (await journal.list()).map(({ id }) => id);
  expect(open).toHaveLength(6);

  const { endpoints } = devnet();
  const job = {
    journal: folder,
    work: { kind: "resume" },
    apiKey,
    privateKey,
    endpoints,
    pace: paces.unpaced,
  } as const;
  const ends = await Promise.all([1, 2].map(() => runAndKill(forkChild(script), job, Number.POSITIVE_INFINITY)));
  const reports = ends.flatMap(({ result }) => result as ({ id: string } | { error: unknown })[]);
  const completed = reports.flatMap((report) => ("id" in report ? [report.id] : []));
  expect(completed.sort()).toEqual(open.sort());
  const errors = reports.flatMap((report) => ("error" in report ? [report.error] : []));
  for (const error of errors) expect(String(error)).toContain("is working on the operation");
  expect(await journal.list()).toEqual([]);
  for await (const { cid, fileName } of iterateFiles({ apiKey, endpoints })) {
    expect(`${new TextDecoder().decode(await decrypt(cid, as(devnet(), 0)))}.txt`).toBe(fileName);
  }
});
