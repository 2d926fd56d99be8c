import { readdir, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { secp256k1 } from "@noble/curves/secp256k1.js";
import { getBytes, hexlify, TypedDataEncoder, Wallet } from "ethers";
import { expect, test } from "vitest";
import {
  createRecoveryIdentity,
  type JournalUnlock,
  type NewJournalSlot,
  openJournal,
  type TypedDataSigner,
} from "../../src/index.ts";
import { createEntries } from "../../src/journal/entries.ts";
import { openJournalKey } from "../../src/journal/journal-key.ts";
import { journalStore } from "../../src/platform/node/journal-folder.ts";
import { failure } from "../support/failure.ts";
import { scratch } from "../support/files.ts";

const noCode = { getCode: async () => "0x" };

/** A journal with one open entry; returns its folder. */
async function createJournal(unlock?: JournalUnlock): Promise<string> {
  const folder = join(await scratch(), "journal");
  const store = await journalStore({ folder });
  const entry = await createEntries(store, await openJournalKey(store, unlock)).start("test", { secret: 42 });
  await entry.release();
  return folder;
}

/** What another process reads that opens the journal by `unlock`. */
async function readStates(folder: string, unlock?: JournalUnlock): Promise<unknown[]> {
  const store = await journalStore({ folder });
  const listed = await createEntries(store, await openJournalKey(store, unlock)).list();
  return listed.map((entry) => ("state" in entry ? entry.state : entry.error));
}

const locked = (folder: string, unlock?: JournalUnlock) => failure(openJournal({ folder, unlock }));

/** A wallet of ethers, and how often it signs. */
function countSignatures(wallet: Pick<TypedDataSigner, "getAddress" | "signTypedData">) {
  const counting = {
    count: 0,
    getAddress: () => wallet.getAddress(),
    signTypedData: (...data: Parameters<TypedDataSigner["signTypedData"]>) => {
      counting.count++;
      return wallet.signTypedData(...data);
    },
  };
  return counting;
}

/** A wallet whose signatures are right and differ each time, as those of some hardware wallets do. */
function randomizedWallet(): TypedDataSigner {
  const wallet = Wallet.createRandom();
  return {
    getAddress: () => wallet.address,
    async signTypedData(domain, types, value) {
      const digest = getBytes(TypedDataEncoder.hash(domain, types, value));
      const options = { prehash: false, format: "recovered", extraEntropy: true } as const;
      const [recovery = 0, ...rs] = secp256k1.sign(digest, getBytes(wallet.privateKey), options);
      return hexlify(Uint8Array.of(...rs, 27 + recovery));
    },
  };
}

test("a passphrase that was added opens the journal, and another one does not", async () => {
  const folder = await createJournal();
  const added = await (await openJournal({ folder })).addSlot({ passphrase: "correct horse" });
  expect(added).toEqual({ id: expect.stringMatching(/^[0-9a-f]{32}$/), kind: "passphrase" });
  const unlock = { passphrase: "correct horse" };
  expect(await readStates(folder, unlock)).toEqual([{ secret: 42 }]);
  expect(await readStates(folder)).toEqual([{ secret: 42 }]);
  const error = await locked(folder, { passphrase: "battery staple" });
  expect(error).toMatchObject({ code: "JOURNAL_LOCKED", details: { slots: ["machine", "passphrase"] } });
  for (const name of await readdir(folder)) {
    expect((await readFile(join(folder, name))).includes("correct horse"), name).toBe(false);
  }
});

test("a machine whose key is lost gets another one, once the journal is opened by another slot", async () => {
  const folder = await createJournal();
  const { identity, recipient } = await createRecoveryIdentity();
  await (await openJournal({ folder })).addSlot({ recipient });
  for (const name of ["journal.key", "journal.key.copy"]) await rm(join(folder, name));
  const journal = await openJournal({ folder, unlock: { identity } });
  const added = await journal.addSlot({ machine: true });
  expect(await readStates(folder)).toEqual([{ secret: 42 }]);
  expect((await journal.slots()).map(({ kind }) => kind)).toEqual(["recipient", "machine"]);
  expect(await journal.addSlot({ machine: true })).toEqual(added);
});

test("the identities of age recipients that were added open the journal", async () => {
  const folder = await createJournal();
  const journal = await openJournal({ folder });
  const create = createRecoveryIdentity;
  const [one, two, other] = await Promise.all([create(), create(), create()]);
  for (const { recipient } of [one, two]) await journal.addSlot({ recipient });
  expect(await journal.slots()).toMatchObject([
    { kind: "machine" },
    { kind: "recipient", target: one.recipient },
    { kind: "recipient", target: two.recipient },
  ]);
  for (const { identity } of [one, two]) expect(await readStates(folder, { identity })).toEqual([{ secret: 42 }]);
  expect(await locked(folder, { identity: other.identity })).toMatchObject({ code: "JOURNAL_LOCKED" });
});

test("a new journal that is opened by an identity has no key on this machine", async () => {
  const { identity, recipient } = await createRecoveryIdentity();
  const folder = await createJournal({ identity });
  expect((await readdir(folder)).filter((name) => name.startsWith("journal.key"))).toEqual([]);
  expect(await readStates(folder, { identity })).toEqual([{ secret: 42 }]);
  expect(await locked(folder)).toMatchObject({ code: "JOURNAL_LOCKED", details: { slots: ["recipient"] } });
  const journal = await openJournal({ folder, unlock: { identity } });
  expect(await journal.slots()).toMatchObject([{ kind: "recipient", target: recipient }]);
  const added = await journal.addSlot({ machine: true });
  expect(await journal.addSlot({ machine: true })).toEqual(added);
  expect(await readStates(folder)).toEqual([{ secret: 42 }]);
});

test("a slot that was removed opens nothing, and the last one stays", async () => {
  const folder = await createJournal();
  const journal = await openJournal({ folder });
  const { identity, recipient } = await createRecoveryIdentity();
  const machine = (await journal.slots())[0]?.id ?? "";
  expect(await failure(journal.removeSlot(machine))).toMatchObject({ code: "INVALID_OPTION" });
  expect(await failure(journal.removeSlot("0"))).toMatchObject({ code: "INVALID_OPTION" });
  const { id } = await journal.addSlot({ recipient });
  await journal.removeSlot(machine);
  expect((await readdir(folder)).filter((name) => name.startsWith("journal.key"))).toEqual([]);
  expect(await locked(folder)).toMatchObject({ code: "JOURNAL_LOCKED" });
  expect(await readStates(folder, { identity })).toEqual([{ secret: 42 }]);
  expect(await failure(journal.removeSlot(id))).toMatchObject({ code: "INVALID_OPTION" });
});

test("slots that several processes add at once are all kept", async () => {
  const folder = await createJournal();
  const identities = await Promise.all(Array.from({ length: 6 }, createRecoveryIdentity));
  await Promise.all(identities.map(async ({ recipient }) => (await openJournal({ folder })).addSlot({ recipient })));
  expect(await (await openJournal({ folder })).slots()).toHaveLength(7);
});

test("a slot of another journal opens nothing", async () => {
  const { identity, recipient } = await createRecoveryIdentity();
  const [one, other] = await Promise.all([createJournal({ identity }), createJournal()]);
  await (await openJournal({ folder: other })).addSlot({ recipient });
  const read = async (folder: string) => JSON.parse(await readFile(join(folder, "journal.json"), "utf8"));
  const moved = { ...(await read(one)), slots: (await read(other)).slots };
  await rm(join(one, "journal.json.copy"));
  await writeFile(join(one, "journal.json"), JSON.stringify(moved));
  expect(await locked(one, { identity })).toMatchObject({ code: "JOURNAL_LOCKED" });
});

test("a wallet signs twice when it is added, and once to open the journal", async () => {
  const folder = await createJournal();
  const journal = await openJournal({ folder });
  const wallet = Wallet.createRandom();
  const signer = countSignatures(wallet);
  const target = wallet.address.toLowerCase();
  expect(await journal.addSlot({ signer, provider: noCode })).toMatchObject({ kind: "wallet", target });
  expect(signer.count).toBe(2);
  expect(await readStates(folder, { signer })).toEqual([{ secret: 42 }]);
  expect(signer.count).toBe(3);
  // Some wallets end a signature with 0 or 1 instead of 27 or 28.
  const lowEnding = {
    ...signer,
    signTypedData: async (...data: Parameters<typeof signer.signTypedData>) =>
      (await signer.signTypedData(...data)).replace(/1b$/, "00").replace(/1c$/, "01"),
  };
  expect(await readStates(folder, { signer: lowEnding })).toEqual([{ secret: 42 }]);

  const stranger = countSignatures(Wallet.createRandom());
  expect(await locked(folder, { signer: stranger })).toMatchObject({ code: "JOURNAL_LOCKED" });
  expect(stranger.count).toBe(0);
  const machine = (await journal.slots())[0]?.id ?? "";
  expect(await failure(journal.removeSlot(machine))).toMatchObject({ code: "INVALID_OPTION" });
  const onDisk = await readFile(join(folder, "journal.json"), "utf8");
  expect(onDisk).not.toContain(wallet.privateKey.slice(2));
});

test("a wallet of ethers is queried for its code by its own provider", async () => {
  const journal = await openJournal({ folder: await createJournal() });
  const queried: string[] = [];
  const provider = { getCode: async (address: string) => `0x${queried.push(address) === 1 ? "" : "6000"}` };
  const wallet = Wallet.createRandom();
  const signer = Object.assign(countSignatures(wallet), { provider });
  await journal.addSlot({ signer });
  expect(queried).toEqual([wallet.address.toLowerCase()]);
  expect(await failure(journal.addSlot({ signer }))).toMatchObject({ code: "WALLET_UNSUITABLE" });
});

const rejecting: TypedDataSigner = {
  getAddress: () => Wallet.createRandom().address,
  signTypedData: async () => {
    throw Object.assign(new Error("User rejected the request"), { code: 4001 });
  },
};
const ofContract: TypedDataSigner = {
  getAddress: () => Wallet.createRandom().address,
  signTypedData: async () => `0x${"ab".repeat(130)}`,
};
const failing = { getCode: () => Promise.reject(new Error("connect ECONNREFUSED https://rpc.example/secret-key")) };

test.each<[string, NewJournalSlot, string]>([
  ["signs differently each time", { signer: randomizedWallet(), provider: noCode }, "WALLET_UNSUITABLE"],
  ["has code", { signer: Wallet.createRandom(), provider: { getCode: async () => "0x6000" } }, "WALLET_UNSUITABLE"],
  ["signs as a contract", { signer: ofContract, provider: noCode }, "INVALID_OPTION"],
  ["cannot be queried for its code", { signer: Wallet.createRandom() }, "INVALID_OPTION"],
  ["cannot be queried at this moment", { signer: Wallet.createRandom(), provider: failing }, "NETWORK"],
  ["rejects", { signer: rejecting, provider: noCode }, "SIGNATURE_REJECTED"],
])("a wallet that %s is refused, and the slots stay as they are", async (_, slot, code) => {
  const journal = await openJournal({ folder: await createJournal() });
  const error = await failure(journal.addSlot(slot));
  expect(error).toMatchObject({ code });
  expect(`${error.message} ${JSON.stringify(error)}`).not.toContain("secret-key");
  expect(await journal.slots()).toHaveLength(1);
});

const { identity, recipient } = await createRecoveryIdentity();

test.each<[object]>([
  [{}],
  [{ passphrase: " " }],
  [{ passphrase: "a", identity }],
  [{ identity: "AGE-SECRET-KEY-1" }],
  [{ identity: recipient }],
  [{ keyring: false }],
  [{ machine: true }],
  [{ signer: {} }],
  [{ signer: Wallet.createRandom() }],
])("openJournal with unlock %# is refused for a new journal", async (unlock) => {
  const folder = join(await scratch(), "journal");
  expect(await failure(openJournal({ folder, unlock }))).toMatchObject({ code: "INVALID_OPTION" });
  expect(await readdir(folder)).toEqual([]);
});

test.each<[object]>([
  [{}],
  [{ provider: noCode }],
  [{ passphrase: "" }],
  [{ passphrase: "a", recipient }],
  [{ recipient: identity }],
  [{ recipient: `${recipient}x` }],
  [{ machine: 1 }],
  [{ identity }],
])("addSlot(%#) is refused", async (slot) => {
  const journal = await openJournal({ folder: await createJournal() });
  const error = await failure(journal.addSlot(slot));
  expect(error).toMatchObject({ code: "INVALID_OPTION" });
  expect(error.message).not.toContain(identity);
  expect(await journal.slots()).toHaveLength(1);
});
