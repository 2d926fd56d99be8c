import { readFile, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { Wallet } from "ethers";
import { describe, expect, test } from "vitest";
import { isUnfinished } from "../../../src/index.ts";
import { getJwtThroughIncumbent, openWithIncumbent, signThroughIncumbent } from "../../../test/interop/stage.ts";
import { createTree, encodeCar } from "../../devnet/test/car.ts";
import * as lighthouse from "../src/index.ts";
import { rejection, setCompatStage, shapeOf, textOf } from "./stage.ts";

const stage = setCompatStage({ proofDelayMs: 0 });
const unknownCid = "bafkreifzjut3te2nhyekklss27nh3k72ysco7y32koao5eei66wof36n5e";

const calls = { ...lighthouse };

/** Both implementations of one call, by its name. */
function both(name: Exclude<keyof typeof lighthouse, "default">) {
  const ours = calls[name] as (...args: unknown[]) => Promise<unknown>;
  const theirs = (...args: unknown[]) => stage().incumbent.call<unknown>(name, ...args);
  return { ours, theirs };
}

describe("return what the incumbent returns:", () => {
  test("upload of a file and of a folder, by version and by options", async () => {
    const { single, folder, apiKey } = stage();
    const { ours, theirs } = both("upload");
    for (const args of [[single], [folder], [single, 0], [folder, { cidVersion: 0 }], [single, undefined]]) {
      const [path, ...options] = args;
      expect(await ours(path, apiKey, ...options)).toEqual(await theirs(path, apiKey, ...options));
    }
  });

  test("uploadText, with a name and without", async () => {
    const { apiKey } = stage();
    const { ours, theirs } = both("uploadText");
    for (const args of [[], ["note.txt"], ["note.txt", { cidVersion: 0 }], [undefined, {}]]) {
      expect(await ours("some text", apiKey, ...args)).toEqual(await theirs("some text", apiKey, ...args));
    }
  });

  test("uploadBuffer", async () => {
    const { apiKey } = stage();
    const { ours, theirs } = both("uploadBuffer");
    const bytes = Buffer.from("bytes");
    expect(await ours(bytes, apiKey)).toEqual(await theirs(bytes, apiKey));
    expect(await ours(bytes, apiKey, { cidVersion: 0 })).toEqual(await theirs(bytes, apiKey, { cidVersion: 0 }));
    expect(await ours("a string", apiKey)).toEqual(await theirs("a string", apiKey));
    // A memory of its own: the one behind a small Buffer has others' bytes, too, which change.
    const { buffer } = new Uint8Array(bytes);
    expect(await ours(buffer, apiKey)).toEqual(await theirs(buffer, apiKey));
    expect(await ours(new Blob(["a blob"]), apiKey)).toEqual(await ours(Buffer.from("a blob"), apiKey));
  });

  test("uploadCAR", async () => {
    const { single, apiKey, contents } = stage();
    const { root, blocks } = await createTree({ file: contents["single.bin"] }, 262_144);
    const path = join(dirname(single), "compat.car");
    await writeFile(path, encodeCar([root], blocks));
    const { ours, theirs } = both("uploadCAR");
    expect(await ours(path, apiKey)).toEqual(await theirs(path, apiKey));
  });

  test("uploadEncrypted and textUploadEncrypted: the incumbent opens the files", async () => {
    const { single, folder, apiKey, owner, incumbent, contents } = stage();
    const jwt = await getJwtThroughIncumbent(incumbent, owner);
    for (const path of [single, folder]) {
      const { ours, theirs } = both("uploadEncrypted");
      const mine = await ours(path, apiKey, owner.address, jwt);
      const expected = (await theirs(path, apiKey, owner.address, jwt)) as { data: { Name: string }[] };
      const names = ({ data }: { data: { Name: string }[] }) => data.map(({ Name }) => Name).sort();
      expect(shapeOf(mine)).toEqual(shapeOf(expected));
      expect(names(mine as typeof expected)).toEqual(names(expected));
    }
    const { data } = await lighthouse.uploadEncrypted(single, apiKey, owner.address, jwt);
    const opened = await openWithIncumbent(incumbent, owner, data[0]?.Hash ?? "");
    expect(Buffer.compare(opened, contents["single.bin"])).toBe(0);

    const signature = await signThroughIncumbent(incumbent, owner);
    const text = await lighthouse.textUploadEncrypted("a secret", apiKey, owner.address, signature);
    expect(shapeOf(text)).toEqual(
      shapeOf(await both("textUploadEncrypted").theirs("a secret", apiKey, owner.address, jwt)),
    );
    expect((await openWithIncumbent(incumbent, owner, text.data[0].Hash)).toString()).toBe("a secret");
  });

  test("decryptFile and fetchEncryptionKey, of a file of the incumbent", async () => {
    const { apiKey, owner, incumbent } = stage();
    const jwt = await getJwtThroughIncumbent(incumbent, owner);
    type Stored = { data: [{ Hash: string }] };
    const { data } = await incumbent.call<Stored>("textUploadEncrypted", "theirs", apiKey, owner.address, jwt);
    const cid = data[0].Hash;
    for (const args of [[], [{}], [{}, 4]]) {
      const { ours, theirs } = both("fetchEncryptionKey");
      expect(await ours(cid, owner.address, jwt, ...args)).toEqual(await theirs(cid, owner.address, jwt, ...args));
    }
    const { data: found } = await lighthouse.fetchEncryptionKey(cid, owner.address, jwt);
    const opened = await lighthouse.decryptFile(cid, found.key ?? "");
    expect(opened).toBeInstanceOf(ArrayBuffer);
    expect(Buffer.from(opened).toString()).toBe("theirs");
    const { gateway } = stage().devnet.endpoints;
    const elsewhere = await lighthouse.decryptFile(cid, found.key ?? "", "text/plain", `${gateway}/`);
    expect(Buffer.from(elsewhere).toString()).toBe("theirs");
  });

  test("fetchEncryptionKey, while two key nodes fail", async () => {
    const { devnet, apiKey, owner, incumbent } = stage();
    const jwt = await getJwtThroughIncumbent(incumbent, owner);
    const { data } = await lighthouse.textUploadEncrypted("three shards", apiKey, owner.address, jwt);
    const cid = data[0].Hash;
    const { data: whole } = await lighthouse.fetchEncryptionKey(cid, owner.address, jwt);
    const removals = [4, 5].map((node) =>
      devnet.faults.add({ service: "keyNodes", node, action: { kind: "respond", status: 404, text: "{}" } }),
    );
    try {
      expect(await lighthouse.fetchEncryptionKey(cid, owner.address, jwt)).toEqual({ data: whole });
    } finally {
      for (const remove of removals) remove();
    }
  });

  test("shareFile, revokeFileAccess, applyAccessCondition and getAccessConditions", async () => {
    const { apiKey, owner, friend, incumbent } = stage();
    const jwt = await getJwtThroughIncumbent(incumbent, owner);
    const { data } = await lighthouse.textUploadEncrypted("shared", apiKey, owner.address, jwt);
    const cid = data[0].Hash;
    const conditions = [
      {
        id: 1,
        chain: "Polygon",
        standardContractType: "",
        method: "getBlockNumber",
        parameters: [],
        returnValueTest: { comparator: ">=", value: "1" },
      },
    ];
    for (const [name, ...args] of [
      ["shareFile", owner.address, [friend.address], cid, jwt],
      ["getAccessConditions", cid],
      ["revokeFileAccess", owner.address, friend.address, cid, jwt],
      ["shareFile", owner.address, [friend.address], cid, jwt],
      ["revokeFileAccess", owner.address, [friend.address], cid, jwt],
      ["applyAccessCondition", owner.address, cid, jwt, conditions],
      ["applyAccessCondition", owner.address, cid, jwt, [conditions[0], { ...conditions[0], id: 2 }], "([1] or [2])"],
      ["getAccessConditions", cid],
    ] as const) {
      const { ours, theirs } = both(name);
      const mine = await ours(...args);
      expect(mine, name).toEqual(await theirs(...args));
    }
  });

  test("getAuthMessage, getApiKey, getBalance", async () => {
    const { owner, devnet, incumbent, apiKey } = stage();
    const message = both("getAuthMessage");
    expect(shapeOf(await message.ours(owner.address))).toEqual(shapeOf(await message.theirs(owner.address)));
    const balance = both("getBalance");
    expect(await balance.ours(apiKey)).toEqual(await balance.theirs(apiKey));
    const created = [];
    for (const getApiKey of [both("getApiKey").ours, both("getApiKey").theirs]) {
      const url = `${devnet.endpoints.api}/api/auth/get_auth_message?publicKey=${owner.address}`;
      const signature = await new Wallet(owner.privateKey).signMessage((await (await fetch(url)).json()) as string);
      created.push(shapeOf(await getApiKey(owner.address, signature)));
    }
    expect(created[0]).toEqual(created[1]);
    expect(await incumbent.call("names")).toContain("getApiKey");
  });

  test("createWallet: a keystore that ethers opens", async () => {
    const { data } = await lighthouse.createWallet("a password");
    expect(Object.keys(data)).toEqual(["encryptedWallet"]);
    const wallet = await Wallet.fromEncryptedJson(data.encryptedWallet, "a password");
    expect(wallet.address).toMatch(/^0x[0-9a-fA-F]{40}$/);
  });

  test("getFileInfo, dealStatus, getQuote, getUploads, deleteFile", async () => {
    const { single, folder, apiKey } = stage();
    const { data } = await lighthouse.upload(single, apiKey);
    for (const [name, ...args] of [
      ["getFileInfo", data.Hash],
      ["dealStatus", data.Hash],
      ["getQuote", single, apiKey],
      ["getQuote", folder, apiKey],
      ["getUploads", apiKey],
      ["getUploads", apiKey, null],
    ] as const) {
      const { ours, theirs } = both(name);
      expect(await ours(...args), name).toEqual(await theirs(...args));
    }
    const { fileList } = (await lighthouse.getUploads(apiKey)).data;
    const [first, second] = fileList;
    expect(await both("getUploads").ours(apiKey, first?.id)).toEqual(
      await both("getUploads").theirs(apiKey, first?.id),
    );
    const { ours, theirs } = both("deleteFile");
    expect(await ours(apiKey, first?.id)).toEqual(await theirs(apiKey, second?.id));
  });

  test("generateKey, publishRecord, getAllKeys, removeKey", async () => {
    const { apiKey } = stage();
    const { data: key } = await lighthouse.generateKey(apiKey);
    expect(shapeOf({ data: key })).toEqual(shapeOf(await both("generateKey").theirs(apiKey)));
    const { data: file } = await lighthouse.uploadText("published", apiKey);
    const publish = both("publishRecord");
    const published = await publish.ours(file.Hash, key.ipnsName, apiKey);
    expect(published).toEqual(await publish.theirs(file.Hash, key.ipnsName, apiKey));
    const keys = both("getAllKeys");
    expect(await keys.ours(apiKey)).toEqual(await keys.theirs(apiKey));
    const removed = await lighthouse.removeKey(key.ipnsName, apiKey);
    expect(removed).toEqual({ data: { Keys: [{ Name: key.ipnsName, Id: key.ipnsId }] } });
  });
});

describe("throw what the incumbent throws:", () => {
  test("a wrong API key", async () => {
    const { single, folder, owner, incumbent } = stage();
    const jwt = await getJwtThroughIncumbent(incumbent, owner);
    for (const [name, ...args] of [
      ["upload", single, "wrong"],
      ["upload", folder, "wrong"],
      ["uploadText", "text", "wrong"],
      ["uploadBuffer", Buffer.from("x"), "wrong"],
      ["uploadEncrypted", single, "wrong", owner.address, jwt],
      ["textUploadEncrypted", "text", "wrong", owner.address, jwt],
      ["getBalance", "wrong"],
      ["getUploads", "wrong"],
      ["getQuote", single, "wrong"],
      ["generateKey", "wrong"],
      ["getAllKeys", "wrong"],
      ["removeKey", "name", "wrong"],
      ["publishRecord", unknownCid, "name", "wrong"],
      ["deleteFile", "wrong", "id"],
    ] as const) {
      const { ours, theirs } = both(name);
      const [mine, expected] = [await rejection(ours(...args)), await rejection(theirs(...args))];
      expect(textOf(mine), name).toBe(textOf(expected));
      expect(mine, name).toBeInstanceOf(Error);
    }
  });

  test("what does not exist, and what belongs to somebody else", async () => {
    const { single, apiKey, owner, friend, incumbent } = stage();
    const ownerJwt = await getJwtThroughIncumbent(incumbent, owner);
    const friendJwt = await getJwtThroughIncumbent(incumbent, friend);
    const { data } = await lighthouse.textUploadEncrypted("private", apiKey, owner.address, ownerJwt);
    const cid = data[0].Hash;
    for (const [name, ...args] of [
      ["upload", `${single}.missing`, apiKey],
      ["getQuote", `${single}.missing`, apiKey],
      ["getFileInfo", unknownCid],
      ["getFileInfo", "not a cid"],
      ["getAccessConditions", unknownCid],
      ["getAuthMessage", "0x12"],
      ["removeKey", "unknown", apiKey],
      ["deleteFile", apiKey, "unknown"],
      ["fetchEncryptionKey", cid, friend.address, friendJwt],
      ["fetchEncryptionKey", cid, owner.address, "wrong"],
      ["fetchEncryptionKey", cid, owner.address, ""],
      ["shareFile", friend.address, [friend.address], cid, friendJwt],
      ["shareFile", owner.address, [friend.address], "not a cid", ownerJwt],
      ["shareFile", owner.address, ["0x12"], cid, ownerJwt],
      ["revokeFileAccess", friend.address, owner.address, cid, friendJwt],
      ["uploadCAR", single, apiKey],
      ["uploadCAR", 5, apiKey],
    ] as const) {
      const { ours, theirs } = both(name);
      const [mine, expected] = [await rejection(ours(...args)), await rejection(theirs(...args))];
      expect(textOf(mine).replace(/, \w+ '/, ", '"), `${name} ${args[0]}`).toBe(
        textOf(expected).replace(/, \w+ '/, ", '"),
      );
    }
    expect(await rejection(both("upload").ours(`${single}.missing`, apiKey))).toMatchObject({ code: "ENOENT" });
  });

  test("a signature for several files", async () => {
    const { folder, apiKey, owner, incumbent } = stage();
    const signature = await signThroughIncumbent(incumbent, owner);
    const { ours, theirs } = both("uploadEncrypted");
    const args = [folder, apiKey, owner.address, signature];
    expect(textOf(await rejection(ours(...args)))).toBe(textOf(await rejection(theirs(...args))));
  });

  test("keeps the kit's error, which resumes what is half done, as the cause", async () => {
    const { devnet, apiKey, owner, incumbent, single } = stage();
    const jwt = await getJwtThroughIncumbent(incumbent, owner);
    const removeFault = devnet.faults.add({
      service: "keyNodes",
      method: "POST",
      path: /setSharedKey\/3/,
      action: { kind: "respond", status: 500 },
    });
    const error = await rejection(lighthouse.uploadEncrypted(single, apiKey, owner.address, jwt)).finally(removeFault);
    expect(textOf(error)).toBe("Error: Error encrypting file");
    const { cause } = error as Error;
    expect(isUnfinished(cause)).toBe(true);
    const [file] = isUnfinished<[{ Hash: string }]>(cause) ? await cause.resume() : [];
    const { data } = await lighthouse.fetchEncryptionKey(file?.Hash ?? "", owner.address, jwt);
    expect(data.key).toMatch(/^[0-9a-f]{64}$/);
  });
});

test("progress ends at 100 in Node and never falls", async () => {
  const { single, folder, apiKey, owner, incumbent } = stage();
  const jwt = await getJwtThroughIncumbent(incumbent, owner);
  const collect = async (run: (report: (data: { progress: number }) => void) => Promise<unknown>) => {
    const reported: number[] = [];
    await run((data) => {
      expect(Object.keys(data)).toEqual(["progress"]);
      reported.push(data.progress);
    });
    expect(reported.at(-1)).toBe(100);
    expect(reported).toEqual([...reported].sort((a, b) => a - b));
  };
  await collect((report) => lighthouse.upload(single, apiKey, 1, report));
  await collect((report) => lighthouse.upload(folder, apiKey, { onProgress: report }));
  await collect((report) => lighthouse.uploadEncrypted(single, apiKey, owner.address, jwt, 1, report));
});

test("accept what only older versions took: the version of the content ids as a number", async () => {
  const { apiKey } = stage();
  const { data } = await lighthouse.uploadText("old", apiKey, "old.txt", 0 as never);
  expect(data.Hash).toMatch(/^Qm/);
  const buffer = await lighthouse.uploadBuffer(Buffer.from("old"), apiKey, 0 as never);
  expect(buffer.data.Hash).toMatch(/^Qm/);
  expect((await readFile(stage().single)).length).toBe(1_000_000);
});
