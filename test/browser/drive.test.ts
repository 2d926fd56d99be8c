import { Wallet } from "ethers";
import { expect, inject, onTestFinished, test } from "vitest";
import { openDrive } from "../../packages/drive/src/index.ts";
import { createApiKey, decrypt, openJournal } from "../../src/index.ts";

const { endpoints } = inject("devnet");

const paths = (entries: readonly { path: string }[]) => entries.map(({ path }) => path);

/** An account whose wallet counts what it is asked to sign. */
async function createOwner() {
  const wallet = Wallet.createRandom();
  const apiKey = await createApiKey({ signer: wallet, endpoints });
  let signatures = 0;
  const signer = {
    getAddress: async () => wallet.address,
    signMessage(message: string) {
      signatures++;
      return wallet.signMessage(message);
    },
  };
  const name = crypto.randomUUID();
  return {
    wallet,
    countSignatures: () => signatures,
    /** Opens the drive as a page does: with the journal of this device, or that of another one. */
    async open(changes: object = {}, journalName = name) {
      const journal = await openJournal({ name: journalName });
      const drive = await openDrive({ signer, apiKey, endpoints, pauseMs: 0, retryMs: 0, journal, ...changes });
      // Its timers would run in the next test.
      onTestFinished(() => drive.close().catch(() => undefined));
      return { drive, journal };
    },
  };
}

test("a page adds, moves and lists files, and finds them again without a signature", async () => {
  const owner = await createOwner();
  const { drive } = await owner.open();
  await drive.createFolder("Photos/2026");
  const lastModified = 1_700_000_000_000;
  const [file] = await drive.add(new File(["sun"], "summer.jpg", { lastModified }), { folder: "Photos/2026" });
  expect(file).toMatchObject({
    path: "Photos/2026/summer.jpg",
    size: 3,
    mimeType: "image/jpeg",
    modified: lastModified,
  });
  await drive.move("Photos/2026/summer.jpg", "Photos");
  await drive.rename("Photos/summer.jpg", "beach.jpg");
  await drive.close();

  const before = owner.countSignatures();
  const { drive: again, journal } = await owner.open();
  expect(paths(again.list("Photos"))).toEqual(["Photos/2026", "Photos/beach.jpg"]);
  expect(owner.countSignatures() - before).toBe(0);
  expect(again.status()).toMatchObject({ unsaved: false, problems: [] });
  expect(await journal.list()).toEqual([]);
  const found = again.find("Photos/beach.jpg");
  if (found?.type !== "file") throw new Error("not found");
  const { cid, commitment, chunkProfile } = found;
  const options = { signer: owner.wallet, endpoints, pauseMs: 0, commitment, chunkProfile };
  expect(new TextDecoder().decode(await decrypt(cid, options))).toBe("sun");
  await again.close();
});

test("files of a folder picker are added with their folders, and another device sees them", async () => {
  const owner = await createOwner();
  const { drive } = await owner.open();
  const picked = ["site/index.html", "site/img/a.png"].map((path) => {
    const file = new File([path], path.split("/").at(-1) ?? "");
    Object.defineProperty(file, "webkitRelativePath", { value: path });
    return file;
  });
  const added = await drive.add(picked);
  expect(paths(added).sort()).toEqual(["site/img/a.png", "site/index.html"]);
  await drive.close();
  const { drive: other } = await owner.open({}, crypto.randomUUID());
  expect(paths(other.search("")).sort()).toEqual(["site", "site/img", "site/img/a.png", "site/index.html"]);
  expect(await other.listLoose()).toEqual([]);
  await other.close();
});

test("a page opens its drive without a network, and what it changes then is stored later", async () => {
  const owner = await createOwner();
  const { drive } = await owner.open();
  await drive.createFolder("Letters");
  await drive.close();
  const dead = "http://127.0.0.1:1";
  const { drive: offline } = await owner.open({
    endpoints: { api: dead, upload: dead, gateway: dead, keyNodes: dead },
  });
  expect(paths(offline.list())).toEqual(["Letters"]);
  await offline.rename("Letters", "Mail");
  expect(offline.status()).toMatchObject({ unsaved: true, error: { code: "NETWORK" } });
  await offline.close().catch(() => undefined);
  const { drive: later } = await owner.open();
  expect(paths(later.list())).toEqual(["Mail"]);
  await later.sync();
  expect(later.status()).toEqual({ unsaved: false, problems: [] });
  await later.close();
});

test("two tabs of one profile change a drive at once, and both have all changes", async () => {
  const owner = await createOwner();
  const one = (await owner.open()).drive;
  await one.add(new File(["a"], "a.txt"));
  await one.sync();
  const two = (await owner.open()).drive;
  await Promise.all([one.createFolder("One"), two.createFolder("Two"), two.rename("a.txt", "b.txt")]);
  await one.sync();
  await two.sync();
  await one.sync();
  expect(paths(one.list())).toEqual(["One", "Two", "b.txt"]);
  expect(two.list()).toEqual(one.list());
  await one.close();
  await two.close();
});
