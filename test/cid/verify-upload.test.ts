import { inspect } from "node:util";
import { Wallet } from "ethers";
import { expect, test } from "vitest";
import { UnfinishedError } from "../../src/base/errors/unfinished.ts";
import { createKit } from "../../src/index.ts";
import { upload } from "../../src/storage/upload/upload.ts";
import type { ResumeUploadOptions } from "../../src/storage/upload/upload-encrypted.ts";
import { uploadEncrypted } from "../../src/storage/upload/upload-encrypted.ts";
import type { UploadedFile } from "../../src/storage/upload/upload-response.ts";
import { account, devnetForTests, getApiKey } from "../support/devnet-wire.ts";
import { failure } from "../support/failure.ts";
import { scratch, writeTree } from "../support/files.ts";
import { createServer, sendJson } from "../support/http-server.ts";

/** CID of "hello world" and a line feed, which no test here uploads. */
const OTHER = "bafkreifjjcie6lypi6ny7amxnfftagclbuxndqonfipmb64f2km2devei4";

const forms = {
  auto: devnetForTests(),
  object: devnetForTests({ responseForm: "object" }),
  list: devnetForTests({ responseForm: "list" }),
  ndjson: devnetForTests({ responseForm: "ndjson" }),
};
const devnet = forms.auto;

async function createOptions(of = devnet()) {
  return { apiKey: await getApiKey(of, account(of, 0)), endpoints: of.endpoints, verifyCid: true };
}

/** Creates options for an upload to a node that accepts everything and always sends this response. */
async function respondWith(json: unknown) {
  const { url } = await createServer((_, response) => sendJson(response, json));
  return { apiKey: "key", endpoints: { ...devnet().endpoints, upload: url }, verifyCid: true };
}

async function createFolder(): Promise<string> {
  const files = { "a.txt": "a", "deep/er/b.bin": new Uint8Array(600_000).fill(3), "deep/c.txt": "", "é.txt": "é" };
  const at = `${await scratch()}/site`;
  return writeTree(at, files);
}

async function* chunks(): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < 5; at++) yield new Uint8Array(123_457).fill(at);
}

test.each(["auto", "object", "list", "ndjson"] as const)(
  "accepts what a correct node stores, in response form %s",
  async (form) => {
    const kit = await createOptions(forms[form]());
    for (const cidVersion of [0, 1] as const) {
      for (const wrapWithDirectory of [undefined, true]) {
        const how = { ...kit, cidVersion, wrapWithDirectory };
        const sources = [
          ["bytes", new Uint8Array(300_000)],
          ["zero bytes", new Uint8Array(0)],
          ["a Blob", new Blob(["blob"])],
          ["a stream", { name: "stream.bin", stream: chunks() }],
          ["a folder", await createFolder()],
        ] as const;
        for (const [what, source] of sources) {
          const [root] = await upload(source, how);
          expect(root?.Hash, `${what}, version ${cidVersion}`).toMatch(cidVersion === 0 ? /^Qm/ : /^baf/);
        }
      }
    }
  },
);

test("verifies several files, wrapped and unwrapped", async () => {
  const kit = await createOptions(forms.list());
  const files = ["one", "two", "three"].map((name) => new File([name], `${name}.txt`));
  expect(await upload(files, kit)).toHaveLength(3);
  expect(await upload(files, { ...kit, wrapWithDirectory: true })).toHaveLength(4);
});

test("refuses another CID, and reports both CIDs", async () => {
  const bytes = Uint8Array.of(1, 2, 3);
  const [stored] = await upload(bytes, await createOptions());
  const wrong = await respondWith({ Name: "blob", Hash: OTHER, Size: "3" });
  const error = await failure(upload(bytes, wrong));
  expect(error.code).toBe("CID_MISMATCH");
  expect(error.details).toEqual({ name: "blob", expected: stored?.Hash, got: OTHER });
  expect(await upload(bytes, { ...wrong, verifyCid: false })).toMatchObject([{ Hash: OTHER }]);
});

test("accepts a single file under another name, but not under another CID", async () => {
  const [stored] = await upload(new File(["same"], "mine.txt"), await createOptions());
  const renamed = await respondWith([{ ...stored, Name: "theirs.txt" }]);
  expect(await upload(new File(["same"], "mine.txt"), renamed)).toEqual([{ ...stored, Name: "theirs.txt" }]);
  const error = await failure(upload(new File(["others"], "mine.txt"), renamed));
  expect(error).toMatchObject({ code: "CID_MISMATCH", details: { name: "mine.txt", got: stored?.Hash } });
});

test("finds one wrong CID among many, of a file or of a folder", async () => {
  const path = await createFolder();
  const stored = await upload(path, await createOptions(forms.list()));
  expect(stored.map(({ Name }) => Name)).toContain("site/deep/er/b.bin");
  for (const at of stored.keys()) {
    const wrong = stored.map((item, other) => (other === at ? { ...item, Hash: OTHER } : item));
    const error = await failure(upload(path, await respondWith(wrong)));
    expect(error.details).toEqual({ name: stored[at]?.Name, expected: stored[at]?.Hash, got: OTHER });
  }
});

test("leaves out rows of names that were not sent, wherever they are in the response", async () => {
  const [file] = await upload(new File(["photo"], "photo.jpg"), await createOptions());
  const others = ["", "zzz", "a/b"].map((Name) => ({ Name, Hash: OTHER, Size: "1" }));
  for (const rows of [
    [...others, file],
    [file, ...others],
  ]) {
    expect(await upload(new File(["photo"], "photo.jpg"), await respondWith(rows))).toEqual([file]);
  }
  const path = await createFolder();
  for (const wrapWithDirectory of [undefined, true]) {
    const stored = await upload(path, { ...(await createOptions(forms.list())), wrapWithDirectory });
    const foreign = others.filter(({ Name }) => Name !== "" || !wrapWithDirectory);
    const options = { ...(await respondWith([...foreign, ...stored])), wrapWithDirectory };
    expect(await upload(path, options)).toEqual(stored);
  }
});

test("refuses a response that omits a file", async () => {
  const path = await createFolder();
  const stored = await upload(path, await createOptions(forms.list()));
  const respondWithNames = (...names: string[]) => respondWith(stored.filter(({ Name }) => names.includes(Name)));
  expect(await upload(path, await respondWithNames("site"))).toHaveLength(1);
  expect(await upload(path, await respondWithNames("site/deep", "site/a.txt", "site/é.txt"))).toHaveLength(3);
  const error = await failure(upload(path, await respondWithNames("site/deep", "site/a.txt")));
  expect(error).toMatchObject({ code: "CID_MISMATCH", details: { name: "site/é.txt" } });
});

test("refuses a response without a valid CID", async () => {
  const error = await failure(upload(Uint8Array.of(1), await respondWith({ Name: "blob", Hash: "hash" })));
  expect(error).toMatchObject({ code: "INVALID_RESPONSE", details: { invalid: ['"hash"'] } });
});

test("refuses a response before the whole body is sent", async () => {
  const action = { kind: "respond", json: { Name: "a", Hash: OTHER } } as const;
  devnet().faults.add({ service: "upload", method: "POST", times: 1, action });
  async function* endless() {
    for (;;) yield new Uint8Array(100_000);
  }
  const source = { name: "a", stream: endless() };
  const error = await failure(upload(source, await createOptions()));
  expect(error).toMatchObject({ code: "INVALID_RESPONSE", message: "The upload node responded before all was sent" });
});

test("refuses a folder whose CID cannot be computed before anything is sent", async () => {
  const kit = await createOptions();
  const files = Array.from({ length: 4_200 }, (_, at) => {
    const name = `many/${String(at).padStart(28, "0")}`;
    return { name, size: 0, stream: (async function* () {})() };
  });
  const before = devnet().requests().length;
  const error = await failure(upload(files, kit));
  expect(error).toMatchObject({ code: "UNSUPPORTED", details: { name: "many", entries: 4_200 } });
  expect(devnet().requests()).toHaveLength(before);
});

test("verifies the stored bytes of encrypted files", async () => {
  const signer = new Wallet(account(devnet(), 1).privateKey);
  const kit = { ...(await createOptions()), signer, pauseMs: 0 };
  const stored = await uploadEncrypted([new File(["one"], "1.txt"), new File(["two"], "2.txt")], kit);
  const { verifyCid: _, ...defaults } = kit;
  const opened = await createKit(defaults).decrypt(stored[1]?.Hash ?? "");
  expect(new TextDecoder().decode(opened)).toBe("two");
});

test("an encrypted upload returns no row of a name that was not sent", async () => {
  const signer = new Wallet(account(devnet(), 3).privateKey);
  const others = ["", "zzz"].map((Name) => ({ Name, Hash: OTHER, Size: "1" }));
  devnet().attacks.add({ kind: "misreport-upload", change: (items) => [...others, ...items] });
  const sources = [new File(["one"], "1.txt"), new File(["two"], "2.txt")];
  for (const verifyCid of [false, true]) {
    const kit = { ...(await createOptions()), signer, pauseMs: 0, verifyCid };
    for (const source of [sources.slice(0, 1), sources]) {
      const stored = await uploadEncrypted(source, kit);
      expect(stored.map(({ Name }) => Name)).toEqual(source.map(({ name }) => name));
      expect(stored.map(({ Hash }) => Hash)).not.toContain(OTHER);
    }
  }
});

test("an encrypted upload stored under other CIDs saves no key, and keeps all keys on the error", async () => {
  const signer = new Wallet(account(devnet(), 2).privateKey);
  const wrong = ["1.txt", "2.txt"].map((Name) => ({ Name, Hash: OTHER }));
  const kit = { ...(await respondWith(wrong)), signer, pauseMs: 0 };
  const error = await failure(uploadEncrypted([new File(["one"], "1.txt"), new File(["two"], "2.txt")], kit));
  expect(error).toMatchObject({
    code: "CID_MISMATCH",
    details: { name: "1.txt", got: OTHER, names: ["1.txt", "2.txt"] },
  });
  const saves = () =>
    devnet()
      .requests()
      .filter(({ path }) => path.startsWith("/api/setSharedKey/"));
  const before = saves().length;
  if (!(error instanceof UnfinishedError)) return expect.unreachable();
  const unfinished = error as UnfinishedError<UploadedFile[], ResumeUploadOptions>;
  expect((await failure(unfinished.resume())).code).toBe("CID_MISMATCH");
  expect(saves()).toHaveLength(before);

  const cid = String(error.details["expected"]);
  await unfinished.resume({ cids: { "1.txt": cid, "2.txt": OTHER } });
  expect(saves()).toHaveLength(before + 10);
  expect(inspect(error, { depth: 9, showHidden: true })).not.toMatch(/[0-9a-f]{64}/);
});
