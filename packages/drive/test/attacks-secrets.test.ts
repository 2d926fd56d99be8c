import { mkdtemp, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { base16 } from "multiformats/bases/base16";
import { CID } from "multiformats/cid";
import { expect, test } from "vitest";
import { createKit, openJournal, uploadEncrypted } from "../../../src/index.ts";
import { getEntries } from "../../../src/journal/handle.ts";
import { devnetForTests } from "../../../test/support/devnet-wire.ts";
import { scratch } from "../../../test/support/files.ts";
import {
  allPaths,
  changeRows,
  createOwner,
  forge,
  hostileApi,
  killUpload,
  listVersions,
  type ServiceProxy,
  startProxy,
  text,
} from "./attack-rig.ts";

const devnet = devnetForTests();

/** Returns the first key of a drive that a journal keeps: the one that versions are sealed by. */
async function readKey(folder: string) {
  const all = await getEntries(await openJournal({ folder })).list();
  const found = all.find((entry) => "kind" in entry && entry.kind === "drive");
  const { keys } = (found as { state: { keys: { drive: string; key: string }[] } }).state;
  return keys[0] ?? { drive: "", key: "" };
}

/** Stores a key file as a stranger makes it, shared with an account. */
async function forgeKey(owner: Awaited<ReturnType<typeof createOwner>>, account: string) {
  const stranger = await createOwner(devnet());
  const content = { type: "keeplight drive key", version: 1, owner: account, createdAt: 0, key: "ab".repeat(32) };
  const file = text(JSON.stringify(content), "keeplight-drive-key");
  const [stored] = await uploadEncrypted(file, { ...stranger.own, apiKey: stranger.apiKey });
  await createKit({ ...stranger.own, apiKey: stranger.apiKey }).kavachShare(stored.Hash, { shareTo: account });
  expect(new TextDecoder().decode(await owner.kit.decrypt(stored.Hash))).toBe(JSON.stringify(content));
  return stored.Hash;
}

test("a drive key that a stranger made and shared is not used", async () => {
  const { owner, proxy, changes } = await hostileApi(devnet());
  const account = owner.own.signer.address;
  const cid = await forgeKey(owner, account);
  proxy.intercept = changeRows((rows) => [forge({ cid, fileName: "keeplight-drive-key", encryption: true }), ...rows]);
  const folder = await scratch();
  const { drive } = await owner.open(folder, changes);
  await drive.createFolder("A");
  await drive.sync();
  expect((await readKey(folder)).drive).not.toBe(cid);
  expect(drive.status().problems).toEqual([{ kind: "unreadable", cid }]);
  const { drive: other } = await owner.open(await scratch());
  expect(allPaths(other)).toEqual(["A"]);
});

test("the drive's own key is no file, whatever the listing calls it and however it writes its content id", async () => {
  const { owner, proxy, changes } = await hostileApi(devnet());
  const folder = await scratch();
  await killUpload(devnet(), owner, folder, (drive) => drive.add(text("content", "a.txt")));
  await owner.resumeAll(folder);
  const { drive } = await owner.open(folder, changes);
  const names = ["holiday.txt"];
  const ids = [drive.id, CID.parse(drive.id).toString(base16)];
  proxy.intercept = changeRows((rows) => {
    // The name that the network knows of the file that is to be placed.
    names.push(...rows.flatMap(({ fileName }) => (/^[0-9a-f]{32}$/.test(fileName) ? [fileName] : [])));
    const forged = ids.flatMap((cid) => names.map((fileName) => forge({ cid, fileName, encryption: true })));
    return [...forged, ...rows.filter(({ cid }) => cid !== drive.id)];
  });
  expect(await drive.listLoose()).toEqual([]);
  expect(names.length).toBeGreaterThan(1);
  for (const cid of ids) {
    expect(drive.isKey(cid)).toBe(true);
    await expect(drive.adopt([{ cid, name: "holiday.txt" }])).rejects.toMatchObject({ code: "INVALID_OPTION" });
  }
  expect(allPaths(drive)).toEqual(["a.txt"]);
  const found = drive.find("a.txt");
  if (found?.type !== "file") throw new Error("not found");
  expect(drive.isKey(found.cid)).toBe(false);
  expect(new TextDecoder().decode(await owner.kit.decrypt(found.cid))).toBe("content");
  await drive.close();
});

test("a drive key that a stranger made is not used either if the key nodes' host names the account as its owner", async () => {
  const { owner, proxy, changes } = await hostileApi(devnet());
  const account = owner.own.signer.address;
  const folder = await scratch();
  const { drive } = await owner.open(folder, changes);
  await drive.createFolder("A");
  await drive.sync();
  const before = await readKey(folder);
  const cid = await forgeKey(owner, account);
  devnet().attacks.add({ kind: "misreport-access", cid, owner: account.toLowerCase() });
  proxy.intercept = changeRows((rows) => [forge({ cid, fileName: "keeplight-drive-key", encryption: true }), ...rows]);
  await drive.sync();
  await drive.createFolder("Secret");
  await drive.sync();
  expect(await readKey(folder)).toEqual(before);
});

test("versions of another account, and older ones under new rows, change nothing", async () => {
  const { owner, proxy, changes } = await hostileApi(devnet());
  const stranger = await createOwner(devnet());
  const { drive: theirs } = await stranger.open(await scratch());
  await theirs.createFolder("Theirs");
  await theirs.close();
  const { drive } = await owner.open(await scratch(), changes);
  await drive.createFolder("A");
  await drive.sync();
  const [own] = await listVersions(owner);
  await drive.rename("A", "B");
  await drive.sync();
  const [foreign] = await listVersions(stranger);
  proxy.intercept = changeRows((rows) => [
    forge({ cid: foreign?.cid ?? "" }),
    forge({ id: "again", cid: own?.cid ?? "" }),
    ...rows,
  ]);
  await drive.sync();
  expect(allPaths(drive)).toEqual(["B"]);
  expect(drive.status().problems).toEqual([{ kind: "unreadable", cid: foreign?.cid }]);
  const { drive: other } = await owner.open(await scratch(), changes);
  expect(allPaths(other)).toEqual(["B"]);
});

const services = ["api", "upload", "gateway", "keyNodes"] as const;

/** An account all of whose requests go through proxies. */
async function startProxies() {
  const endpoints = { ...devnet().endpoints };
  const proxies: ServiceProxy[] = [];
  for (const service of services) {
    const proxy = await startProxy(endpoints[service]);
    proxies.push(proxy);
    endpoints[service] = proxy.url;
  }
  endpoints.walrusGateway = endpoints.gateway;
  return { endpoints, proxies };
}

test.each(["folder", "add", "version", "move", "remove", "sync"] as const)(
  "%s: whichever request fails, and all after it, calls work again later, and nothing is lost",
  async (call) => {
    const { endpoints, proxies } = await startProxies();
    const owner = await createOwner(devnet());
    let left = Number.POSITIVE_INFINITY;
    for (const proxy of proxies) {
      proxy.intercept = async (_, send) =>
        left-- > 0 ? send() : { status: 500, type: "text/plain", body: Buffer.from("no") };
    }
    const folder = await scratch();
    const sources = await scratch();
    const write = async (name: string) => {
      const file = join(await mkdtemp(join(sources, "add-")), name);
      await writeFile(file, name);
      return file;
    };
    let isDone = false;
    let { drive } = await owner.open(folder, { endpoints });
    await drive.add(text("old", "old.txt"));
    const expected = new Set(["old.txt"]);
    for (let requests = 0; !isDone; requests++) {
      const name = `n${requests}`;
      if (call === "remove") await drive.trash((await drive.add(text(name, name)))[0] ?? name);
      else if (call !== "add") {
        await drive.add(text(name, name));
        expected.add(name);
      }
      await drive.sync();
      left = requests;
      const run = async () => {
        if (call === "folder") await drive.createFolder(`folder ${name}`);
        if (call === "add") await drive.add(await write(name));
        if (call === "version") await drive.add(await write(name));
        if (call === "move") await drive.rename(name, `moved ${name}`);
        const [trashed] = drive.listTrash();
        if (call === "remove" && trashed) await drive.remove(trashed);
        await drive.sync();
      };
      isDone = await run().then(
        () => true,
        () => false,
      );
      isDone &&= left >= 0;
      left = Number.POSITIVE_INFINITY;
      if (call === "folder") expected.add(`folder ${name}`);
      if (call === "move") {
        expected.delete(name);
        expected.add(`moved ${name}`);
      }
      if (call === "add") expected.add(name);
      if (!isDone) {
        for (const report of await owner.resumeAll(folder))
          expect(report, `request ${requests}`).not.toHaveProperty("error");
        await drive.sync();
        if (call === "add" && !drive.find(name)) await drive.add(await write(name));
      }
      for (const trashed of drive.listTrash()) await drive.remove(trashed);
      await drive.sync();
      expect(new Set(allPaths(drive)), `request ${requests}`).toEqual(expected);
      expect(drive.status(), `request ${requests}`).toEqual({ unsaved: false, problems: [] });
      if (requests % 5 === 4) {
        await drive.close();
        ({ drive } = await owner.open(folder, { endpoints }));
      }
    }
    const { drive: other } = await owner.open(await scratch());
    expect(new Set(allPaths(other))).toEqual(expected);
    expect(other.listTrash()).toEqual([]);
  },
);

test("nothing of names, folders, types and keys is in any request, nor in an error", async () => {
  const { endpoints, proxies } = await startProxies();
  const owner = await createOwner(devnet());
  const folder = await scratch();
  const { drive } = await owner.open(folder, { endpoints });
  const names = Array.from({ length: 100 }, (_, at) => `Zebra-${at}-contract.pdf`);
  await drive.createFolder("Quagga/Okapi");
  for (const name of names.slice(0, 20)) await drive.add(text(`content of ${name}`, name), { folder: "Quagga/Okapi" });
  await drive.add(names.slice(20).map((name) => text(`content of ${name}`, name)));
  await drive.move("Quagga/Okapi/Zebra-1-contract.pdf", "");
  await drive.rename("Zebra-1-contract.pdf", "Zebra-renamed.pdf");
  await drive.trash("Zebra-renamed.pdf");
  await drive.sync();
  const errors: string[] = [];
  for (const proxy of proxies) proxy.intercept = () => ({ status: 500, type: "text/plain", body: Buffer.from("no") });
  for (const call of [() => drive.add(text("x", "Zebra-x.pdf")), () => drive.sync(), () => drive.close()]) {
    const error: unknown = await call().then(
      () => undefined,
      (cause: unknown) => cause,
    );
    errors.push(error instanceof Error ? `${error} ${error.stack} ${JSON.stringify(error)}` : "");
  }
  const { key } = await readKey(folder);
  const raw = Buffer.from(key, "hex");
  const sent = proxies.flatMap(({ requests }) => requests);
  expect(sent.length).toBeGreaterThan(100);
  const secrets = ["Zebra", "Quagga", "Okapi", "contract", "application/pdf", key, raw.toString("base64")];
  const forms = [...secrets, encodeURIComponent(secrets.join(" "))];
  for (const { path, query, headers, body } of sent) {
    const head = `${path} ${JSON.stringify(query)} ${JSON.stringify(headers)}`;
    for (const form of forms) expect(head.includes(form) || body.includes(form), `${path}: ${form}`).toBe(false);
    expect(body.includes(raw)).toBe(false);
  }
  // The error of an upload names its files for the caller: resuming takes content ids by name.
  for (const error of errors) for (const form of [key, raw.toString("base64")]) expect(error).not.toContain(form);
});
