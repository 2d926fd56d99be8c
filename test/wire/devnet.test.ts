import { randomBytes } from "node:crypto";
import { Wallet } from "ethers";
import { expect, test } from "vitest";
import { createTree, encodeCar } from "../../packages/devnet/test/car.ts";
import { verifyProof } from "../../packages/proof/src/index.ts";
import {
  createApiKey,
  createKit,
  createOneTimeToken,
  type EvmCondition,
  getAuthMessage,
  iterateFiles,
  kavachGetAuthMessage,
  kavachGetJwt,
} from "../../src/index.ts";
import { account, devnetForTests } from "../support/devnet-wire.ts";
import { calls } from "./calls.ts";

const devnet = devnetForTests({ proofDelayMs: 0 });
const always: EvmCondition = {
  id: 1,
  chain: "Devnet",
  standardContractType: "",
  method: "getBlockNumber",
  returnValueTest: { comparator: ">=", value: 0 },
};

/** Returns the call that a logged request belongs to. */
function findCall({ method, path }: { method: string; path: string }): string | undefined {
  const pathname = path.split("?")[0] ?? "";
  return calls.find((call) => {
    const pattern = call.replace("{n}", "[1-5]").replace(/\{(cid|address)\}/, "[^/]+");
    return new RegExp(`^${pattern}$`).test(`${method} ${pathname}`);
  });
}

test("the devnet serves every call of the network to the kit, and refuses none", async () => {
  const { endpoints, requests } = devnet();
  const signer = new Wallet(account(devnet(), 0).privateKey);
  const heir = new Wallet(account(devnet(), 1).privateKey);
  const common = { endpoints, pauseMs: 0 };
  await getAuthMessage(signer.address, { endpoints });
  const apiKey = await createApiKey({ signer, endpoints });

  const { message } = await kavachGetAuthMessage(signer.address, common);
  const signature = await signer.signMessage(message);
  const { refreshToken } = await kavachGetJwt(signer.address, { signature, ...common });
  const kit = createKit({ ...common, apiKey, signer });
  await kit.kavachRefreshJwt(signer.address, { refreshToken });

  const bytes = randomBytes(1_000);
  const [once] = await kit.upload(bytes, { apiKey: await createOneTimeToken({ signer, endpoints }) });
  const cid = once?.Hash ?? "";
  expect(Buffer.from(await kit.download(cid)).equals(bytes)).toBe(true);
  const { root, blocks } = await createTree({ file: randomBytes(1_000) });
  expect(await kit.uploadCar(new Blob([encodeCar([root], blocks)]))).toMatchObject([{ Hash: root.toString() }]);

  expect(await kit.getFileInfo(cid)).toMatchObject({ cid, fileSizeInBytes: "1000" });
  expect(await kit.getDealStatus(cid)).toHaveLength(1);
  expect((await verifyProof(await kit.getProof(cid))).valid).toBe(true);
  expect(await kit.getTicker("FIL")).toBeGreaterThan(0);

  const { ipnsName } = await kit.ipnsGenerateKey();
  await kit.ipnsPublishRecord({ cid, keyName: ipnsName });
  expect(await kit.ipnsListRecords()).toMatchObject([{ ipnsName, cid }]);
  await kit.ipnsRemoveKey(ipnsName);

  const [locked] = await kit.uploadEncrypted(new File(["locked"], "a.txt"), { conditions: [always] });
  const file = locked?.Hash ?? "";
  await kit.kavachSetAccessConditions(file, { conditions: [{ ...always, id: 2 }] });
  expect(await kit.kavachGetAccessConditions(file)).toMatchObject({ conditions: [{ id: 2 }] });
  const [shared] = await kit.uploadTextEncrypted("shared");
  const text = shared?.Hash ?? "";
  await kit.kavachShare(text, { shareTo: heir.address });
  await kit.kavachRevoke(text, { revokeTo: heir.address });
  await kit.kavachSetDelegates(heir.address);
  const ownerAddress = signer.address;
  expect(Buffer.from(await kit.decrypt(text, { signer: heir, ownerAddress })).toString()).toBe("shared");
  await kit.kavachTransferOwnership(text, { newOwner: heir.address });
  expect(Buffer.from(await kit.decrypt(text, { signer: heir })).toString()).toBe("shared");

  await kit.pinCid(cid);
  const files = [];
  for await (const { id } of iterateFiles({ apiKey, endpoints })) files.push(id);
  for (const id of files) await kit.deleteFile(id);
  expect((await kit.getBalance()).dataUsed).toBe(0);

  const log = requests();
  expect(log.filter(({ status }) => status !== 200)).toEqual([]);
  expect([...new Set(log.map(findCall))].sort()).toEqual([...calls].sort());
});
