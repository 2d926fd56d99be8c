import { openJournal } from "keeplight";
import { expect, test } from "vitest";
import { scratch } from "../../../test/support/files.ts";
import { openDrive } from "../src/index.ts";
import { closeAfterTest, drivesForTests } from "./drive-for-tests.ts";

const { createAccount, devnet } = drivesForTests();

test.each([false, true])(
  "a stored file whose upload was discarded before its key was saved is in no folder; opened again: %s",
  async (isLater) => {
    const account = await createAccount();
    const folder = await scratch();
    const first = await account.open(folder);
    const action = { kind: "respond", status: 500 } as const;
    const mend = devnet().faults.add({ service: "keyNodes", method: "POST", path: "/api/setSharedKey", action });
    const adding = first.drive.add(new File(["letter"], "letter.txt"), { folder: "Letters" });
    await expect(adding).rejects.toMatchObject({ code: "SHARDS_NOT_SAVED" });
    mend();
    let { drive, journal } = first;
    if (isLater) {
      await drive.close();
      journal = await openJournal({ folder });
      drive = await openDrive({ ...account.own, apiKey: account.apiKey, journal });
      closeAfterTest(drive);
    }
    const [upload] = (await journal.list()).filter(({ kind }) => kind === "upload");
    await journal.discard(upload?.id ?? "");
    await drive.sync();
    expect(drive.search("").map(({ path }) => path)).toEqual(["Letters"]);
    expect(await drive.listLoose()).toHaveLength(1);
  },
);
