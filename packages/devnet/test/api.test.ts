import { beforeAll, describe, expect, test } from "vitest";
import { account, add, devnetForTests, getApiKey, getJwt, send, sign } from "../../../test/support/devnet-wire.ts";

const devnet = devnetForTests({ pageSize: 2, dataLimit: 5_000 });
const url = (path: string) => `${devnet().endpoints.api}${path}`;

describe("API keys", () => {
  test("each message can be exchanged for one key", async () => {
    const owner = account(devnet(), 0);
    const { body: message } = await send("GET", url(`/api/auth/get_auth_message?publicKey=${owner.address}`));
    const fields = {
      publicKey: owner.address.toUpperCase().replace("0X", "0x"),
      signedMessage: await sign(owner, message),
    };
    expect((await send("POST", url("/api/auth/create_api_key"), fields)).status).toBe(200);
    expect(await send("POST", url("/api/auth/create_api_key"), fields)).toEqual({
      status: 401,
      body: { message: "Invalid Signature" },
    });
  });

  test("a signature of another account is refused", async () => {
    const { body: message } = await send(
      "GET",
      url(`/api/auth/get_auth_message?publicKey=${account(devnet(), 1).address}`),
    );
    const signedMessage = await sign(account(devnet(), 2), message);
    const fields = { publicKey: account(devnet(), 1).address, signedMessage };
    expect((await send("POST", url("/api/auth/create_api_key"), fields)).status).toBe(401);
  });

  test("the message starts as it does on the network", async () => {
    const { address } = account(devnet(), 1);
    for (const path of ["get_auth_message", "get_message"]) {
      const { body } = await send("GET", url(`/api/auth/${path}?publicKey=${address}`));
      expect(body).toMatch(
        /^Please prove you are the owner of this wallet by signing this message, nonce=[0-9a-f-]{36}$/,
      );
    }
  });

  test("anything but an address is refused", async () => {
    expect((await send("GET", url("/api/auth/get_message?publicKey=0x12"))).status).toBe(400);
  });

  test("a body over the limit is refused", async () => {
    const response = await send("POST", url("/api/auth/create_api_key"), { publicKey: "0".repeat(2_000_000) });
    expect(response).toEqual({ status: 413, body: { message: "Request body too large" } });
  });
});

describe("files", () => {
  let key = "";
  const cids: string[] = [];
  beforeAll(async () => {
    key = await getApiKey(devnet(), account(devnet(), 3));
    for (const name of ["one", "two", "three"]) {
      const response = await add(devnet(), key, { [name]: name.repeat(10) });
      cids.push(((await response.json()) as { Hash: string }).Hash);
    }
    await add(devnet(), key, { text: "x".repeat(44) }, "cid-version=1", {
      Encryption: "true",
      "Mime-Type": "text/plain",
    });
  });

  const list = async (lastKey: string) =>
    (await send("GET", url(`/api/user/files_uploaded?lastKey=${lastKey}`), undefined, key)).body as {
      fileList: { fileName: string; id: string }[];
      totalFiles: number;
    };

  test("file info has the size, name, type and whether it is encrypted", async () => {
    const { body } = await send("GET", url(`/api/lighthouse/file_info?cid=${cids[0]}`));
    expect(body).toMatchObject({
      fileSizeInBytes: "30",
      cid: cids[0],
      encryption: false,
      fileName: "one",
      mimeType: null,
    });
  });

  test("an unknown content id is a 404, an invalid one a 400", async () => {
    const unknown = "QmUNLLsPACCz1vLxQVkXqqLX5R1X345qqfHbsf67hvA3Nn";
    expect((await send("GET", url(`/api/lighthouse/file_info?cid=${unknown}`))).status).toBe(404);
    expect((await send("GET", url("/api/lighthouse/file_info?cid=x"))).status).toBe(400);
  });

  test("the listing has pages, newest first", async () => {
    const first = await list("null");
    expect(first).toMatchObject({
      totalFiles: 4,
      fileList: [{ fileName: "text", encryption: true, mimeType: "text/plain" }, { fileName: "three" }],
    });
    const second = await list(first.fileList[1]?.id ?? "");
    expect(second.fileList.map(({ fileName }) => fileName)).toEqual(["two", "one"]);
    expect((await list(second.fileList[1]?.id ?? "")).fileList).toEqual([]);
  });

  test("usage grows with uploads and shrinks with deletions", async () => {
    const usage = async () => (await send("GET", url("/api/user/user_data_usage"), undefined, key)).body;
    expect(await usage()).toMatchObject({ dataLimit: 5_000, dataUsed: 154 });
    const { id } = (await list("null")).fileList[0] ?? { id: "" };
    const other = await getApiKey(devnet(), account(devnet(), 4));
    expect((await send("DELETE", url(`/api/user/delete_file?id=${id}`), undefined, other)).status).toBe(404);
    expect((await send("DELETE", url(`/api/user/delete_file?id=${id}`), undefined, key)).body).toEqual({
      message: "File deleted successfully.",
    });
    expect(await usage()).toMatchObject({ dataUsed: 110 });
  });

  test("a JWT of the key nodes is accepted, and a request without a bearer is refused", async () => {
    const { token } = await getJwt(devnet(), account(devnet(), 3));
    expect((await send("GET", url("/api/user/user_data_usage"), undefined, token)).status).toBe(200);
    for (const path of ["user_data_usage", "files_uploaded?lastKey=null"]) {
      expect((await send("GET", url(`/api/user/${path}`))).status).toBe(401);
    }
    expect((await send("DELETE", url("/api/user/delete_file?id=x"), undefined, "wrong")).status).toBe(401);
  });
});
