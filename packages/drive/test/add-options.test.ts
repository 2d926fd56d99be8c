import { readdir } from "node:fs/promises";
import { openRecoveryKit } from "@keeplight/recovery";
import { Wallet } from "ethers";
import { createRecoveryIdentity } from "keeplight";
import { getEntries } from "keeplight/parts";
import { expect, test } from "vitest";
import { scratch } from "../../../test/support/files.ts";
import { findDrive, isDriveOwnFile, listDrives } from "../src/index.ts";
import { bytes, drivesForTests } from "./drive-for-tests.ts";

const { createAccount } = drivesForTests();

test("files are shared, under conditions, and in a recovery kit by their real names, as they are added", async () => {
  const owner = await createAccount();
  const { drive } = await owner.open();
  const friend = Wallet.createRandom().address.toLowerCase();
  const { identity, recipient } = await createRecoveryIdentity();
  const recoveryTo = await scratch();
  const [file] = await drive.add(new File(["dear"], "letter.txt"), {
    folder: "to Bob",
    shareTo: friend,
    ...{ recovery: recipient, recoveryTo, verifyCid: true, checkRoom: true, storage: "annual" },
  });
  expect(file).toMatchObject({ path: "to Bob/letter.txt", size: 4 });
  const { sharedTo } = await owner.kit.kavachGetAccessConditions(file?.cid ?? "");
  expect(sharedTo.map((address) => address.toLowerCase())).toEqual([friend]);
  expect(await readdir(recoveryTo)).toHaveLength(1);
  const kit = await openRecoveryKit(recoveryTo, { identity });
  expect(kit.entries).toMatchObject([{ cid: file?.cid, name: "letter.txt", size: 4 }]);
  const condition = {
    id: 1,
    chain: "Ethereum",
    method: "getBlockNumber",
    standardContractType: "",
    returnValueTest: { comparator: ">=", value: "1" },
  } as const;
  const [open] = await drive.add(new File(["open"], "open.txt"), { conditions: [condition], aggregator: "([1])" });
  expect((await owner.kit.kavachGetAccessConditions(open?.cid ?? "")).conditions).toHaveLength(1);
});

test("options that are unknown, or of the drive itself, are refused before anything is sent", async () => {
  const owner = await createAccount();
  const { drive } = await owner.open();
  const add = (options: object) => drive.add(bytes("x"), { name: "x", ...options });
  for (const option of ["sharTo", "names", "wrapWithDirectory", "apiKey", "via", "signer", "endpoints", "scheme"])
    await expect(add({ [option]: "visible" }), option).rejects.toMatchObject({
      code: "INVALID_OPTION",
      details: { option },
    });
  await expect(add({ sharTo: "0x" })).rejects.toThrow(/shareTo/);
  await expect(add({ shareTo: "0x12" })).rejects.toMatchObject({ code: "INVALID_ADDRESS" });
  await expect(add({ recovery: "age1x" })).rejects.toMatchObject({ code: "INVALID_OPTION" });
  expect(drive.listAll()).toEqual([]);
});

test("opening and closing are ended by their signals, and nothing is lost", async () => {
  const owner = await createAccount();
  const { own, apiKey } = owner;
  const { drive, journal } = await owner.open();
  await drive.createFolder("A");
  await expect(drive.close({ signal: AbortSignal.abort() })).rejects.toMatchObject({ code: "ABORTED" });
  expect(await listDrives(journal)).toMatchObject([{ unsaved: true }]);
  for (const each of [journal, (await (await createAccount()).open()).journal])
    await expect(findDrive({ ...own, apiKey, journal: each, signal: AbortSignal.abort() })).rejects.toMatchObject({
      code: "ABORTED",
    });
  // A signal that fires later ends nothing of an open drive.
  const controller = new AbortController();
  const again = await findDrive({ ...own, apiKey, journal, signal: controller.signal });
  controller.abort();
  await again?.add(new File(["x"], "x.txt"), { folder: "A" });
  await again?.close();
  const { drive: other } = await owner.open();
  expect(other.listAll().map(({ path }) => path)).toEqual(["A", "A/x.txt"]);
});

test("a drive is found, and none is created or signed for where there is none", async () => {
  const owner = await createAccount();
  const { open, own, apiKey, kit } = owner;
  const refuse = { getAddress: () => own.signer.getAddress(), signMessage: () => Promise.reject(new Error("signed")) };
  const { journal } = await (await createAccount()).open();
  await kit.upload(bytes("x"), { name: "keeplight-drive" });
  expect(await findDrive({ ...own, signer: refuse, apiKey, journal })).toBeUndefined();
  expect((await kit.listFiles()).fileList.map(({ fileName }) => fileName)).toEqual(["keeplight-drive"]);
  const { drive, journal: known } = await open();
  await drive.createFolder("A");
  expect(await listDrives(known)).toEqual([{ account: drive.account, unsaved: true, uploading: false }]);
  await drive.close();
  expect(await listDrives(known)).toEqual([{ account: drive.account, unsaved: false, uploading: false }]);
  // Its key is read by who can sign, and by a journal that has read it before.
  await expect(findDrive({ ...own, signer: refuse, apiKey, journal })).rejects.toThrow();
  const found = await findDrive({ ...own, apiKey, journal });
  expect(found?.list()).toMatchObject([{ path: "A" }]);
  await found?.close();
  const again = await findDrive({ ...own, signer: refuse, apiKey, journal });
  expect(again?.list()).toMatchObject([{ path: "A" }]);
  await again?.close();
  expect((await getEntries(journal).list()).length).toBeGreaterThan(0);
  const { fileList: rows } = await kit.listFiles();
  expect(rows.filter((row) => !isDriveOwnFile(row))).toEqual([]);
});
