import { randomBytes, randomUUID } from "node:crypto";
import { describe, expect, test, vi } from "vitest";
import {
  account,
  devnetForTests,
  getJwt,
  type Reply,
  send,
  sign,
  signNodeMessage,
} from "../../../test/support/devnet-wire.ts";
import { startDevnet } from "../src/index.ts";

const devnet = devnetForTests();
const url = (path: string) => `${devnet().endpoints.keyNodes}${path}`;
const call = (method: string, path: string, fields: unknown, bearer: string): Promise<Reply> =>
  send(method, url(path), fields, bearer);

const success = { status: 200, body: { message: "success" } };
const denied = { status: 403, body: { message: { message: { message: "Access Denied" } } } };
const shareDenied = { status: 403, body: { message: "Access Denied" } };
const invalidSignature = { status: 401, body: { message: "Invalid Signature" } };
const createShard = () => ({ key: randomBytes(32).toString("hex"), index: randomBytes(32).toString("hex") });

/** An owner, a friend and their JWTs, and a file of the owner on nodes 1 and 2. */
async function createScene() {
  const owner = account(devnet(), 0);
  const friend = account(devnet(), 1);
  const [ownerJwt, friendJwt] = [(await getJwt(devnet(), owner)).token, (await getJwt(devnet(), friend)).token];
  const cid = `file-${randomUUID()}`;
  const shards = [createShard(), createShard()];
  for (const [index, payload] of shards.entries()) {
    await call("POST", `/api/setSharedKey/${index + 1}`, { address: owner.address, cid, payload }, ownerJwt);
  }
  const asOwner = { address: owner.address, cid };
  const asFriend = { address: friend.address, cid };
  return { owner, friend, ownerJwt, friendJwt, cid, shards, asOwner, asFriend };
}

describe("messages and tokens", () => {
  test("the message stays the same until it is used", async () => {
    const { address } = account(devnet(), 2);
    const first = await send("GET", url(`/api/message/${address}`));
    expect(first.body).toEqual([
      {
        message: expect.stringMatching(
          /^Please sign this message to prove you are owner of this account: [0-9a-f-]{36}$/,
        ),
      },
    ]);
    expect(await send("GET", url(`/api/message/${address}`))).toEqual(first);
    await getJwt(devnet(), account(devnet(), 2));
    expect(await send("GET", url(`/api/message/${address}`))).not.toEqual(first);
  });

  test("an invalid address is refused", async () => {
    expect(await send("GET", url("/api/message/0x12"))).toEqual({ status: 400, body: { message: "Invalid address" } });
  });

  test("a signature is exchanged for one JWT, of its signer", async () => {
    const [a, b] = [account(devnet(), 2), account(devnet(), 3)];
    const signature = await signNodeMessage(devnet(), a);
    expect(await call("POST", "/api/message/get-jwt", { address: b.address, signature }, "")).toEqual(invalidSignature);
    expect((await call("POST", "/api/message/get-jwt", { address: a.address, signature }, "")).body).toEqual({
      token: expect.stringMatching(/^jwt:/),
      refreshToken: expect.stringMatching(/^r:/),
    });
    expect(await call("POST", "/api/message/get-jwt", { address: a.address, signature }, "")).toEqual(invalidSignature);
  });

  test("a refresh token works once, for its own address", async () => {
    const { address } = account(devnet(), 2);
    const { refreshToken } = await getJwt(devnet(), account(devnet(), 2));
    const other = { address: account(devnet(), 3).address, refreshToken };
    expect((await call("PUT", "/api/message/get-jwt", other, "")).status).toBe(406);
    const { status, body } = await call("PUT", "/api/message/get-jwt", { address, refreshToken }, "");
    expect([status, body]).toEqual([200, { token: expect.any(String), refreshToken: expect.any(String) }]);
    expect((await call("PUT", "/api/message/get-jwt", { address, refreshToken }, "")).status).toBe(406);
  });

  test("an expired JWT is refused", async () => {
    vi.useFakeTimers({ toFake: ["Date"] });
    const other = await startDevnet({ jwtLifetimeSeconds: 0.2 });
    try {
      const { address } = account(other, 0);
      const { token } = await getJwt(other, account(other, 0));
      const request = () =>
        send("POST", `${other.endpoints.keyNodes}/api/retrieveSharedKey/1`, { address, cid: "x" }, token);
      expect((await request()).status).toBe(200);
      // A millisecond from its end on both sides, as times in seconds are rounded.
      vi.advanceTimersByTime(199);
      expect((await request()).status).toBe(200);
      vi.advanceTimersByTime(2);
      expect(await request()).toEqual(invalidSignature);
    } finally {
      vi.useRealTimers();
      await other.close();
    }
  });
});

describe("signatures as bearers", () => {
  test("each node accepts one once, which is enough for one operation", async () => {
    const { owner, asOwner } = await createScene();
    const signature = await signNodeMessage(devnet(), owner);
    for (const node of [1, 2, 3, 4, 5]) {
      const path = `/api/setSharedKey/${node}`;
      expect(await call("POST", path, { ...asOwner, payload: createShard() }, signature)).toMatchObject(success);
    }
    expect(await call("PUT", "/api/setSharedKey/1", { ...asOwner, shareTo: [] }, signature)).toEqual(invalidSignature);
  });

  test("one of another message or another account is refused", async () => {
    const { owner, friend, asOwner } = await createScene();
    const wrong = [await sign(owner, "something else"), await signNodeMessage(devnet(), friend), "0x", "0x1234"];
    for (const signature of wrong) {
      expect(await call("POST", "/api/retrieveSharedKey/1", asOwner, signature)).toEqual(invalidSignature);
    }
  });

  test("a JWT of another address is refused", async () => {
    const { asOwner, friendJwt } = await createScene();
    expect(await call("POST", "/api/retrieveSharedKey/1", asOwner, friendJwt)).toEqual(invalidSignature);
    expect(await send("POST", url("/api/retrieveSharedKey/1"), asOwner)).toEqual(invalidSignature);
  });
});

describe("ownership", () => {
  test("each node stores its own shard, regardless of the case of the address", async () => {
    const { owner, ownerJwt, cid, shards } = await createScene();
    const address = owner.address.toUpperCase().replace("0X", "0x");
    for (const [index, payload] of shards.entries()) {
      const path = `/api/retrieveSharedKey/${index + 1}`;
      expect(await call("POST", path, { address, cid }, ownerJwt)).toEqual({ status: 200, body: { payload } });
    }
    const unknown = await call("POST", "/api/retrieveSharedKey/3", { address, cid }, ownerJwt);
    expect(unknown).toEqual({ status: 200, body: { payload: null } });
  });

  test("the first writer owns the file: others neither overwrite nor read, share or revoke", async () => {
    const { asFriend, friendJwt, friend } = await createScene();
    expect(await call("POST", "/api/setSharedKey/1", { ...asFriend, payload: createShard() }, friendJwt)).toEqual(
      denied,
    );
    expect(await call("POST", "/api/retrieveSharedKey/1", asFriend, friendJwt)).toEqual(denied);
    const shareTo = [friend.address];
    expect(await call("PUT", "/api/setSharedKey/1", { ...asFriend, shareTo }, friendJwt)).toEqual(shareDenied);
    expect(await call("DELETE", "/api/setSharedKey/1", { ...asFriend, revokeTo: shareTo }, friendJwt)).toEqual(denied);
    expect(
      await call("POST", "/api/transferOwnership/1", { ...asFriend, newOwner: friend.address }, friendJwt),
    ).toEqual(denied);
  });

  test("the owner may overwrite, and recipients stay", async () => {
    const { asOwner, asFriend, ownerJwt, friendJwt, friend } = await createScene();
    const payload = createShard();
    await call("PUT", "/api/setSharedKey/1", { ...asOwner, shareTo: [friend.address] }, ownerJwt);
    expect(await call("POST", "/api/setSharedKey/1", { ...asOwner, payload }, ownerJwt)).toMatchObject(success);
    expect((await call("POST", "/api/retrieveSharedKey/1", asFriend, friendJwt)).body).toEqual({ payload });
  });

  test("a friend can read between sharing and revoking, and cannot share", async () => {
    const { asOwner, asFriend, ownerJwt, friendJwt, friend, cid, owner } = await createScene();
    const path = "/api/setSharedKey/1";
    expect(await call("PUT", path, { ...asOwner, shareTo: [friend.address] }, ownerJwt)).toMatchObject(success);
    expect((await call("POST", "/api/retrieveSharedKey/1", asFriend, friendJwt)).status).toBe(200);
    expect(await call("PUT", path, { ...asFriend, shareTo: [friend.address] }, friendJwt)).toEqual(shareDenied);
    const access = await send("GET", url(`/api/fileAccessConditions/get/${cid}`));
    expect(access.body).toMatchObject({ owner: owner.address, cid, sharedTo: [friend.address], conditions: [] });
    expect(await call("DELETE", path, { ...asOwner, revokeTo: [friend.address] }, ownerJwt)).toMatchObject(success);
    expect(await call("POST", "/api/retrieveSharedKey/1", asFriend, friendJwt)).toEqual(denied);
  });

  test("a file may be shared from the start", async () => {
    const { asOwner, asFriend, ownerJwt, friendJwt, friend } = await createScene();
    const payload = createShard();
    await call("POST", "/api/setSharedKey/4", { ...asOwner, payload, sharedTo: [friend.address] }, ownerJwt);
    expect((await call("POST", "/api/retrieveSharedKey/4", asFriend, friendJwt)).body).toEqual({ payload });
  });

  test.each([
    [true, 403],
    [false, 200],
  ])(
    "the new owner takes over; with resetSharedTo %s the others read with status %i",
    async (resetSharedTo, status) => {
      const { asOwner, asFriend, ownerJwt, friendJwt, friend, cid } = await createScene();
      const heir = account(devnet(), 4);
      const heirJwt = (await getJwt(devnet(), heir)).token;
      await call("PUT", "/api/setSharedKey/1", { ...asOwner, shareTo: [friend.address] }, ownerJwt);
      const fields = { ...asOwner, newOwner: heir.address, resetSharedTo };
      expect(await call("POST", "/api/transferOwnership/1", fields, ownerJwt)).toEqual(success);
      expect((await call("POST", "/api/retrieveSharedKey/1", { address: heir.address, cid }, heirJwt)).status).toBe(
        200,
      );
      expect((await call("POST", "/api/retrieveSharedKey/1", asFriend, friendJwt)).status).toBe(status);
      expect(await call("POST", "/api/retrieveSharedKey/1", asOwner, ownerJwt)).toEqual(denied);
    },
  );

  test.each([
    ["no content id", { cid: undefined }, "Invalid CID"],
    ["a bad address to share with", { shareTo: ["0x12"] }, "Invalid address"],
    ["no address", { address: undefined }, "Invalid address"],
  ])("%s is a 400", async (_, fields, message) => {
    const { asOwner, ownerJwt } = await createScene();
    const response = await call("PUT", "/api/setSharedKey/1", { ...asOwner, shareTo: [], ...fields }, ownerJwt);
    expect(response).toEqual({ status: 400, body: { message } });
  });

  test.each([undefined, null, {}, { key: "xyz", index: "12" }])("the shard %j is a 400", async (payload) => {
    const { asOwner, ownerJwt } = await createScene();
    const response = await call("POST", "/api/setSharedKey/1", { ...asOwner, payload }, ownerJwt);
    expect(response).toEqual({ status: 400, body: { message: "Invalid payload" } });
  });

  test("there is no sixth node", async () => {
    const { asOwner, ownerJwt } = await createScene();
    expect((await call("POST", "/api/retrieveSharedKey/6", asOwner, ownerJwt)).status).toBe(404);
  });
});
