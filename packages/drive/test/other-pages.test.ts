import { getEntries } from "keeplight/parts";
import { expect, test } from "vitest";
import { scratch } from "../../../test/support/files.ts";
import { drivesForTests } from "./drive-for-tests.ts";

const { createAccount, devnet } = drivesForTests();

const paths = (entries: readonly { path: string }[]) => entries.map(({ path }) => path).sort();

test("an upload that another page cancelled, and that this one resumes, is in its folder while both are open", async () => {
  const account = await createAccount();
  const folder = await scratch();
  const [one, other] = [await account.open(folder), await account.open(folder)];
  const controller = new AbortController();
  const mend = devnet().faults.add({ service: "upload", action: { kind: "hang" } });
  const file = new File(["letter"], "letter.txt");
  const adding = one.drive.add(file, { folder: "Letters", signal: controller.signal });
  setTimeout(() => controller.abort(), 600);
  await expect(adding).rejects.toMatchObject({ code: "ABORTED" });
  mend();
  const [open] = await other.journal.list();
  // It is sent again, under another content id.
  await other.journal.resume(open?.id ?? "", { ...account.own, apiKey: account.apiKey, source: file } as never);
  expect(paths(other.drive.listAll())).toEqual(["Letters", "Letters/letter.txt"]);
  await other.drive.rename("Letters/letter.txt", "renamed.txt");
  await one.drive.sync();
  expect(paths(one.drive.listAll())).toEqual(["Letters", "Letters/renamed.txt"]);
  await other.drive.sync();
  expect(paths(other.drive.listAll())).toEqual(["Letters", "Letters/renamed.txt"]);
});

test("an upload that is resumed after more than a month is in its folder", async () => {
  const account = await createAccount();
  const folder = await scratch();
  const before = await account.open(folder);
  const action = { kind: "respond", status: 500 } as const;
  const mend = devnet().faults.add({ service: "keyNodes", method: "POST", path: "/api/setSharedKey", action });
  const adding = before.drive.add(new File(["letter"], "letter.txt"), { folder: "Letters" });
  await expect(adding).rejects.toMatchObject({ code: "SHARDS_NOT_SAVED" });
  mend();
  await before.drive.close();
  const entries = getEntries(before.journal);
  for (const { id } of await entries.list()) {
    const entry = await entries.acquire(id);
    const { plans } = entry.state as { plans?: [string, object][] };
    const at = Date.now() - 31 * 24 * 3_600_000;
    if (plans) await entry.update({ plans: plans.map(([name, plan]) => [name, { ...plan, at }]) } as never);
    await entry.release();
  }
  const { drive, journal } = await account.open(folder);
  await drive.sync();
  for (const { id } of await journal.list()) {
    await journal.resume(id, { ...account.own, apiKey: account.apiKey } as never);
  }
  expect(paths(drive.listAll())).toEqual(["Letters", "Letters/letter.txt"]);
});
