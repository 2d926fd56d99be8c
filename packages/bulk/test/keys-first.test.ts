import type * as fs from "node:fs/promises";
import { afterEach, expect, test, vi } from "vitest";
import { devnetForTests } from "../../../test/support/devnet-wire.ts";
import { failure } from "../../../test/support/failure.ts";
import { runBulk } from "../src/index.ts";
import { countUploads, expectDecrypted, listEntries, planEncrypted, readRows } from "./rig.ts";

const disk = vi.hoisted(() => ({ isFull: false }));

// A disk that has no room for another entry of a journal.
vi.mock("node:fs/promises", async (importActual) => {
  const actual = await importActual<typeof fs>();
  const open: typeof actual.open = (path, ...options) => {
    if (disk.isFull && String(path).includes("-journal")) {
      return Promise.reject(Object.assign(new Error("no space left on device"), { code: "ENOSPC", syscall: "open" }));
    }
    return actual.open(path, ...options);
  };
  return { ...actual, open };
});

const devnet = devnetForTests();

afterEach(() => {
  disk.isFull = false;
});

test("no file counts as sent before its key is in the journal", async () => {
  const { data, plan, upload, ledgerPlace } = await planEncrypted(devnet(), 3);
  const { signer, ...others } = upload;
  // The journal is open by the time that the batch needs the account.
  const late = {
    getAddress: () => {
      disk.isFull = true;
      return signer.getAddress();
    },
    signMessage: (message: string) => signer.signMessage(message),
  };
  const before = countUploads(devnet());
  expect((await failure(runBulk(plan, { upload: { ...others, signer: late } }))).code).toBe("CANNOT_WRITE");
  disk.isFull = false;
  expect(await listEntries(ledgerPlace)).toEqual([]);
  expect((await readRows(plan, ledgerPlace)).map(({ status }) => status)).toEqual(["found", "found", "found"]);
  expect(countUploads(devnet())).toBe(before);
  await runBulk(plan, { upload });
  await expectDecrypted(devnet(), data, await readRows(plan, ledgerPlace));
});
