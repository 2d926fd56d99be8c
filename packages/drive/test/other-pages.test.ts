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
