import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { Wallet } from "ethers";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { startDevnet } from "../../packages/devnet/src/index.ts";
import { createApiKey, createKit, createRecoveryIdentity, type Kit } from "../../src/index.ts";
import { programs } from "./pages.ts";
import { callProgram, createWorkingFolder, removePrograms, runProgram, writePrograms } from "./program-files.ts";

/** What a program is called with. */
interface Stage {
  kit: Kit;
  signer: Wallet;
  apiKey: string;
  /** Another account. */
  address: string;
  /** Content id of an encrypted file of 2,000 bytes. */
  cid: string;
}

/** What runs one program. */
interface Calls {
  /** Runs it by importing it. */
  run(): Promise<void>;
  /** Calls a function that it exports. */
  call(functionName: string, ...values: readonly unknown[]): Promise<unknown>;
}

/** Programs that are only compiled, and why. */
const onlyCompiled: readonly [RegExp, string][] = [
  [/^(browser|react|session|start-react|start-next|start-tanstack|start-vite)\//, "a page, or what serves it"],
  [/^bulk\/program-[^1]/, "its endpoints are options of each upload"],
  [/^backup\//, "its programs are parts of one story, which test/backup runs"],
  [/^own-server\//, "a server and a page"],
  [/^(pay|pay-per-upload|payment-errors)\//, "pays on a public chain"],
  [/^conditions\//, "reads public chains"],
  [/^coming-from-lighthouse\//, "has its endpoints from a configuration of its own"],
];

const encode = (text: string) => new TextEncoder().encode(text);

const runs: Record<string, (stage: Stage & Calls) => Promise<void>> = {
  "bulk/program-1.ts": async ({ call }) => {
    mkdirSync("dataset");
    writeFileSync("dataset/photo.jpg", "a photo");
    const plan = await call("plan", "dataset", "dataset.plan");
    expect(plan).toMatchObject({ encrypted: true, batches: 1 });
  },
  "drive/program-1.ts": async ({ call, apiKey, signer }) => {
    expect(await call("tidyUp", apiKey, signer)).toEqual(["2026/To Bob.txt"]);
  },
  "drive/program-2.ts": async ({ call, kit, apiKey, signer }) => {
    const bob = new Wallet(Wallet.createRandom().privateKey);
    const cid = await call("shareFolder", apiKey, signer, bob.address);
    const { files } = await kit.readEncryptedFolder(String(cid), { signer: bob });
    expect(files.length).toBeGreaterThan(0);
  },
  "drive/program-3.ts": async ({ call, kit, apiKey, signer }) => {
    const bob = new Wallet(Wallet.createRandom().privateKey);
    const message = await call("shareWith", apiKey, signer, bob.address);
    const opened = await call("receiveFrom", await kit.createApiKey({ signer: bob }), bob, message);
    expect(["first", "second"]).toContain(new TextDecoder().decode(opened as Uint8Array));
  },
  "drive/program-4.ts": async ({ call, apiKey, signer }) => {
    const url = await call("sendLetter", apiKey, signer);
    const opened = (await call("openLetter", url, "said by phone")) as { name: string; bytes: Uint8Array };
    expect([opened.name, new TextDecoder().decode(opened.bytes)]).toEqual(["letter.pdf", "letter"]);
  },
  "README/program-1.ts": async ({ run }) => {
    await run();
    expect(readFileSync("secret-again.pdf", "utf8")).toBe("secret");
  },
  "README/program-2.ts": async ({ call, apiKey, signer }) => {
    await call("storeAndShare", apiKey, signer);
  },
  "start-node/first.ts": async ({ run }) => {
    const log = vi.mocked(console.log);
    log.mockClear();
    await run();
    expect(log.mock.calls).toEqual([[expect.stringMatching(/^bafk/)], ["Dear Bob"]]);
  },
  "start-node/program-2.ts": async ({ run }) => {
    await run();
    expect(readFileSync("again-2.txt", "utf8")).toBe("second");
  },
  "calls-and-options/program-1.ts": async ({ call, apiKey, signer }) => {
    await call("storeAll", apiKey, signer);
  },
  "calls-and-options/program-2.ts": async ({ call, kit }) => {
    await call("uploadFilm", kit, new AbortController().signal);
  },
  "upload-and-download/program-1.ts": async ({ call, kit }) => {
    const picked = Object.assign([new File(["picked"], "picked.txt")], { item: () => null });
    const streams = [new Blob(["first"]).stream(), new Blob(["second"]).stream()];
    // The program uses a stream twice, to show it alone and among others; a stream can be read once.
    await call("uploadAll", kit, picked, new Blob(["blob"]), new Uint8Array(3), {
      [Symbol.asyncIterator]: () => streams.pop()?.[Symbol.asyncIterator](),
    });
  },
  "upload-and-download/program-2.ts": async ({ call, kit }) => {
    expect(await call("storeOnWalrus", kit)).toBe("walrus");
  },
  "upload-and-download/program-3.ts": async ({ call, kit, cid }) => {
    expect(await call("lastKilobyte", kit, cid)).toEqual(encode("x".repeat(1024)));
  },
  "encrypt-and-share/program-1.ts": async ({ call, kit }) => {
    expect(await call("roundTrip", kit)).toEqual(encode("letter"));
  },
  "encrypt-and-share/program-2.ts": async ({ call, kit, cid }) => {
    await call("shareAndRevoke", kit, cid);
  },
  "encrypt-and-share/program-3.ts": async ({ call, kit, address }) => {
    const [file] = await kit.uploadTextEncrypted("for Bob", { name: "bob.txt" });
    await call("transfer", kit, file.Hash, true);
    expect((await kit.kavachGetAccessConditions(file.Hash)).owner).toBe(address.toLowerCase());
  },
  "encrypt-and-share/program-4.ts": async ({ call, kit, address }) => {
    await call("delegate", kit, address);
  },
  "encrypt-and-share/program-5.ts": async ({ call, cid, signer }) => {
    expect(await call("openLink", await call("makeLink", cid, signer))).toHaveProperty("size", 2000);
  },
  "encrypt-and-share/program-6.ts": async ({ call, kit, cid }) => {
    await call("inspectAndRepair", kit, cid);
  },
  "encrypt-and-share/program-7.ts": async ({ call, kit, address }) => {
    const cid = await call("storeFolder", kit, address);
    expect(await call("openFirst", kit, cid)).toEqual(encode("beach"));
    expect(await call("listFolders", kit)).toHaveLength(1);
  },
  "recover-without-us/program-1.ts": async ({ call, apiKey, signer, kit, cid }) => {
    await call("openAgain", await call("backUp", apiKey, signer));
    expect(readFileSync(cid, "utf8")).toBe("x".repeat(2000));
    await call("uploadSafely", kit);
  },
  "recover-without-us/program-2.ts": async ({ call }) => {
    const { identity } = await createRecoveryIdentity();
    expect(await call("printIdentity", identity)).toHaveLength(4);
  },
  "files-and-names/program-1.ts": async ({ call, kit }) => {
    const { Hash } = (await kit.uploadText("to be deleted", { name: "copy.txt" }))[0];
    expect(await call("deleteCopies", kit, Hash)).toBeGreaterThan(0);
  },
  "files-and-names/program-2.ts": async ({ call, kit, cid }) => {
    await call("publish", kit, cid);
  },
  "verify/program-1.ts": async ({ call, kit }) => {
    await call("storeVerified", kit, "photo.jpg", "photo-again.jpg");
    expect(readFileSync("photo-again.jpg", "utf8")).toBe("picture");
  },
  "verify/program-2.ts": async ({ call, kit, cid }) => {
    expect(await call("openCommitted", kit, cid, await call("commit", kit, cid))).toHaveLength(2000);
  },
  "verify/program-3.ts": async ({ call, cid }) => {
    await call("prove", cid);
  },
  "interrupted-work/program-1.ts": async ({ call, apiKey, signer }) => {
    await call("uploadSafely", apiKey, signer);
  },
  "interrupted-work/program-2.ts": async ({ call }) => {
    const { identity, recipient } = await createRecoveryIdentity();
    await call("openBackup", "other-journal", recipient, identity);
    expect(existsSync("other-journal")).toBe(true);
  },
  "parts/program-1.ts": async ({ call }) => {
    expect(await call("encryptFiles", ["letter.pdf", "photo.jpg"])).toEqual(encode("letter"));
  },
  "errors/program-1.ts": async ({ call, kit }) => {
    await call("uploadLetters", kit);
  },
  "devnet/program-1.ts": async ({ run }) => void (await run()),
  "devnet/program-2.ts": async ({ run }) => void (await run()),
  "devnet/program-3.ts": async ({ run }) => void (await run()),
  "devnet/program-4.ts": async ({ call, address }) => {
    const other = await startDevnet();
    await call("attack", other, address);
    await other.close();
  },
};

let stage: Stage;
let close: () => Promise<void>;
const before = process.cwd();
let folder: string;

beforeAll(async () => {
  for (const print of ["log", "table"] as const) vi.spyOn(console, print).mockReturnValue();
  const devnet = await startDevnet({ proofDelayMs: 0 });
  close = devnet.close;
  const { endpoints } = devnet;
  const signer = new Wallet(Wallet.createRandom().privateKey);
  const apiKey = await createApiKey({ signer, endpoints });
  const kit = createKit({ endpoints, apiKey, signer, pauseMs: 0 });
  const { address } = Wallet.createRandom();
  const [{ Hash: cid }] = await kit.uploadTextEncrypted("x".repeat(2000), { name: "x.txt" });
  const { recipient } = await createRecoveryIdentity();
  stage = { kit, signer, apiKey, address, cid };
  writePrograms({ endpoints, address, recipient });
  folder = createWorkingFolder();
  process.chdir(folder);
  process.env["PRIVATE_KEY"] = signer.privateKey;
});

afterAll(async () => {
  vi.restoreAllMocks();
  process.chdir(before);
  delete process.env["PRIVATE_KEY"];
  rmSync(folder, { recursive: true, force: true });
  removePrograms();
  await close();
});

test.each(Object.entries(runs))("%s runs on a devnet", (name, runIt) =>
  runIt({ ...stage, run: () => runProgram(name), call: (...values) => callProgram(name, ...values) }),
);

test("every program of the documentation is run, or there is a reason why it cannot be", () => {
  const left = programs.filter(({ name }) => !runs[name] && !onlyCompiled.some(([pattern]) => pattern.test(name)));
  expect(left.map(({ name }) => name)).toEqual([]);
  expect(Object.keys(runs).filter((name) => !programs.some((program) => program.name === name))).toEqual([]);
});
