import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { beforeAll, expect, test } from "vitest";
import { decrypt, kavachGenerate, makeRecoveryKit, openEncrypted, openRecoveryKit } from "../../src/index.ts";
import { createRecorder } from "../../src/recovery-file/recorder.ts";
import { devnetForTests } from "../support/devnet-wire.ts";
import { failure } from "../support/failure.ts";
import { scratch } from "../support/files.ts";
import { createRig, type Rig } from "./rig.ts";

const devnet = devnetForTests();
let rig: Omit<Rig, "target">;
beforeAll(async () => {
  rig = await createRig(devnet());
});

/** Makes a folder with a kit of the owner's file, beside which an attacker can write. */
async function makeKitFolder(): Promise<string> {
  const folder = join(await scratch(), "kit");
  await mkdir(folder);
  const { people, other, recipient } = rig;
  await makeRecoveryKit([other.cid], { ...people.owner, recipients: recipient, to: join(folder, "kit.age") });
  return folder;
}

test("a wrong key, name and size added to a recovery kit", async () => {
  const { identity, recipient, other, people } = rig;
  const { cid, masterKey, commitment, text } = other;
  const folder = await makeKitFolder();
  const { masterKey: wrong } = await kavachGenerate();
  // The recipient is all that an attacker needs; the name sorts before the kit.
  const recoveryTo = (message: Uint8Array) => writeFile(join(folder, "0.age"), message);
  const recorder = await createRecorder({ recovery: recipient, recoveryTo }, undefined);
  await recorder.write([{ cid, name: "invoice.exe", size: 7, masterKey: wrong }]);

  const kit = await openRecoveryKit(folder, { identity });
  expect(kit.entries).toEqual([{ cid, name: "invoice.exe", size: 7 }]);
  expect(kit.keys(cid)).toEqual([wrong, masterKey]);
  const { endpoints } = people.owner;
  const key = kit.keys(cid);
  for (const options of [{}, { strict: true }, { commitment }]) {
    const bytes = await decrypt(cid, { key, endpoints, ...options });
    expect(new TextDecoder().decode(bytes)).toBe(text);
  }
  for (const options of [{ authenticate: true }, { commitment }]) {
    const file = await openEncrypted(cid, { key, endpoints, ...options });
    expect(new TextDecoder().decode(await file.read(0, file.size))).toBe(text);
  }
  expect((await failure(decrypt(cid, { key: [wrong], endpoints }))).code).toBe("CANNOT_DECRYPT");
  expect((await failure(decrypt(cid, { key: [], endpoints }))).code).toBe("INVALID_OPTION");
});

test("files added to a recovery kit that cannot be opened", async () => {
  const { identity, other } = rig;
  const folder = await makeKitFolder();
  await writeFile(join(folder, "0.age"), "");
  await writeFile(join(folder, "1.age"), "age-encryption.org/v1\n-> X25519 a\n");
  const kit = await openRecoveryKit(folder, { identity });
  expect(kit.keys(other.cid)).toEqual([other.masterKey]);
  expect(kit.unread.map(({ error }) => error.code)).toEqual(["CANNOT_DECRYPT", "CANNOT_DECRYPT"]);
});
