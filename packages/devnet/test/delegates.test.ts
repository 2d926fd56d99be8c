import { randomBytes, randomUUID } from "node:crypto";
import { expect, test } from "vitest";
import { account, devnetForTests, getJwt, send } from "../../../test/support/devnet-wire.ts";

const devnet = devnetForTests();
const call = (path: string, fields: unknown, bearer?: string) =>
  send("POST", `${devnet().endpoints.keyNodes}/api/${path}`, fields, bearer);
const denied = { status: 403, body: { message: { message: { message: "Access Denied" } } } };

/** An owner with a file on nodes 1 and 2, and a delegate to be. */
async function createScene() {
  const [owner, delegate] = [account(devnet(), 0), account(devnet(), 1)];
  const [ownerJwt, delegateJwt] = [(await getJwt(devnet(), owner)).token, (await getJwt(devnet(), delegate)).token];
  const cid = `file-${randomUUID()}`;
  const payload = { key: randomBytes(32).toString("hex"), index: randomBytes(32).toString("hex") };
  for (const node of [1, 2]) {
    await call(`setSharedKey/${node}`, { address: owner.address, cid, payload }, ownerJwt);
  }
  const open = (node: number, ownerAddress?: string) =>
    call(`retrieveSharedKey/${node}`, { address: delegate.address, cid, ownerAddress }, delegateJwt);
  return { owner, delegate, ownerJwt, delegateJwt, payload, open };
}

test("each node has its own delegates, who name the owner to open a file", async () => {
  const { owner, delegate, ownerJwt, payload, open } = await createScene();
  const fields = { address: owner.address, allFilesAccess: [delegate.address.toUpperCase().replace("0X", "0x")] };
  expect(await open(1, owner.address)).toEqual(denied);
  expect(await call("setAllFilesAccess/1", fields, ownerJwt)).toMatchObject({
    status: 200,
    body: { message: "success" },
  });
  expect(await open(1, owner.address)).toEqual({ status: 200, body: { payload } });
  expect(await open(1)).toEqual(denied);
  expect(await open(1, delegate.address)).toEqual(denied);
  expect(await open(2, owner.address)).toEqual(denied);
  expect((await open(1, "me")).status).toBe(400);
  await call("setAllFilesAccess/1", { address: owner.address, allFilesAccess: [] }, ownerJwt);
  expect(await open(1, owner.address)).toEqual(denied);
});

test("only the owner sets them, with a list of addresses", async () => {
  const { owner, delegate, ownerJwt, delegateJwt } = await createScene();
  const fields = { address: owner.address, allFilesAccess: [delegate.address] };
  const invalid = { status: 401, body: { message: "Invalid Signature" } };
  expect(await call("setAllFilesAccess/1", fields, delegateJwt)).toEqual(invalid);
  expect(await call("setAllFilesAccess/1", fields)).toEqual(invalid);
  expect((await call("setAllFilesAccess/6", fields, ownerJwt)).status).toBe(404);
  for (const allFilesAccess of [undefined, delegate.address, ["me"], [null], {}]) {
    expect((await call("setAllFilesAccess/1", { ...fields, allFilesAccess }, ownerJwt)).status).toBe(400);
  }
});
