import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { Wallet } from "ethers";
import { expect, test } from "vitest";
import {
  createApiKey,
  createKit,
  type DecryptOptions,
  decrypt,
  type Journal,
  openJournal,
  type Progress,
} from "../../src/index.ts";
import { makeBytes } from "../blocks/trees.ts";
import { account, devnetForTests } from "../support/devnet-wire.ts";
import { failure } from "../support/failure.ts";
import { scratch } from "../support/files.ts";

const devnet = devnetForTests({ chain: true });
const content = makeBytes(3_000_000);

async function createUser(signer = Wallet.createRandom() as Pick<Wallet, "address" | "signMessage">) {
  const { endpoints } = devnet();
  const options = { endpoints, pauseMs: 0, attempts: 1, signer };
  const kit = createKit({ ...options, apiKey: await createApiKey({ signer, endpoints }) });
  return { signer, options, kit };
}

/** The devnet's first wallet, which has tokens, with an encrypted file. */
async function createOwner() {
  const { kit, signer } = await createUser(new Wallet(account(devnet(), 0).privateKey));
  const [{ Hash: cid }] = await kit.uploadEncrypted(new Blob([content]), { name: "file" });
  return { kit, cid, address: signer.address };
}

/** Starts to decrypt a file, and aborts once a part of it has arrived. */
async function interrupt(cid: string, journal: Journal, options: DecryptOptions): Promise<string> {
  const to = join(await scratch(), "file");
  const controller = new AbortController();
  const onProgress = ({ loaded }: Progress) => {
    if (loaded > 1_000_000) controller.abort();
  };
  const cut = decrypt(cid, { ...options, to, journal, signal: controller.signal, onProgress });
  expect((await failure(cut)).code).toBe("ABORTED");
  return to;
}

test("an interrupted decryption by a delegate is resumed without the owner's address", async () => {
  const { kit, cid, address } = await createOwner();
  const { signer, options } = await createUser();
  await kit.kavachSetDelegates(signer.address);
  const journal = await openJournal({ folder: await scratch() });
  const to = await interrupt(cid, journal, { ...options, ownerAddress: address });
  const [open] = await journal.list();
  expect(open).toMatchObject({ kind: "decrypt", names: [to] });
  await journal.resume(open?.id ?? "", { signer, pauseMs: 0 });
  expect(Buffer.from(content).equals(await readFile(to))).toBe(true);
  expect(await journal.list()).toEqual([]);
});

test("values for access conditions are not stored, and are passed again to resume a decryption", async () => {
  const { kit, cid, address } = await createOwner();
  const { options, kit: kitOfReader } = await createUser();
  const condition = {
    id: 1,
    chain: "Polygon",
    standardContractType: "ERC20",
    contractAddress: devnet().chain?.network.tokens.usdc?.address ?? "",
    method: "balanceOf",
    parameters: [":holder"],
    returnValueTest: { comparator: ">=", value: "1" },
  } as const;
  await kit.kavachSetAccessConditions(cid, { conditions: [condition] });
  const journal = await openJournal({ folder: await scratch() });
  const dynamicData = { ":holder": address };
  const to = await interrupt(cid, journal, { ...options, dynamicData });
  const [open] = await journal.list();
  expect(await failure(journal.resume(open?.id ?? "", options))).toMatchObject({ code: "NODE_REFUSED" });
  // An operation that has no use for them beside it.
  devnet().stopNode(3);
  await failure(kitOfReader.uploadTextEncrypted("text", { journal }));
  devnet().startNode(3);
  const resumed = await journal.resumeAll({ ...options, dynamicData });
  expect(resumed).toMatchObject([{ kind: "decrypt" }, { kind: "upload" }]);
  expect(Buffer.from(content).equals(await readFile(to))).toBe(true);
});
