import { randomUUID } from "node:crypto";
import { describe, expect, test } from "vitest";
import { account, add, devnetForTests, getJwt, send } from "../../../test/support/devnet-wire.ts";
import { createSolanaWallet, type SolanaWallet, toBase58 } from "./solana.ts";

const devnet = devnetForTests();
const nodes = (path: string) => `${devnet().endpoints.keyNodes}${path}`;
const api = (path: string) => `${devnet().endpoints.api}${path}`;
const encodings: [string, (signature: Uint8Array) => string][] = [
  ["base58", toBase58],
  ["hex", (signature) => Buffer.from(signature).toString("hex")],
  ["0x hex", (signature) => `0x${Buffer.from(signature).toString("hex")}`],
  ["base64", (signature) => Buffer.from(signature).toString("base64")],
];

async function signNodeMessage({ address, sign }: SolanaWallet, encode = toBase58): Promise<string> {
  const { body } = await send("GET", nodes(`/api/message/${address}`));
  return encode(sign((body as [{ message: string }])[0].message));
}

describe.each(encodings)("a signature in %s", (_, encode) => {
  test("is exchanged for one JWT", async () => {
    const wallet = createSolanaWallet();
    const fields = { address: wallet.address, signature: await signNodeMessage(wallet, encode), chain: "ALL" };
    const reply = await send("POST", nodes("/api/message/get-jwt"), fields);
    expect(reply).toEqual({
      status: 200,
      body: { token: expect.stringMatching(/^jwt:/), refreshToken: expect.any(String) },
    });
    expect((await send("POST", nodes("/api/message/get-jwt"), fields)).status).toBe(401);
  });

  test("is a bearer for one operation on a file", async () => {
    const wallet = createSolanaWallet();
    const signature = await signNodeMessage(wallet, encode);
    const fields = { address: wallet.address, cid: randomUUID(), payload: { key: "01", index: "02" } };
    expect((await send("POST", nodes("/api/setSharedKey/1"), fields, signature)).status).toBe(200);
    expect((await send("POST", nodes("/api/setSharedKey/1"), fields, signature)).status).toBe(401);
  });

  test("is exchanged for an API key", async () => {
    const { address, sign } = createSolanaWallet();
    const { body } = await send("GET", api(`/api/auth/get_auth_message?publicKey=${address}`));
    const fields = { publicKey: address, signedMessage: encode(sign(String(body))) };
    const { status, body: key } = await send("POST", api("/api/auth/create_api_key"), fields);
    expect(status).toBe(200);
    expect((await add(devnet(), String(key), { a: "a" })).status).toBe(200);
  });

  test("is part of a one-time token", async () => {
    const { address, sign } = createSolanaWallet();
    const { body } = await send("GET", api(`/api/auth/get_message?publicKey=${address}`));
    const token = `${address}$${encode(sign(String(body)))}`;
    const statuses = [(await add(devnet(), token, { a: "a" })).status, (await add(devnet(), token, { a: "a" })).status];
    expect(statuses).toEqual([200, 401]);
  });
});

test("a signature of another account, of another message, or truncated is refused", async () => {
  const [wallet, other] = [createSolanaWallet(), createSolanaWallet()];
  const { body } = await send("GET", nodes(`/api/message/${wallet.address}`));
  const [{ message }] = body as [{ message: string }];
  const wrong = [
    other.sign(message),
    wallet.sign("another text"),
    wallet.sign(message).subarray(1),
    new Uint8Array(64),
  ];
  for (const signature of wrong) {
    const fields = { address: wallet.address, signature: toBase58(signature) };
    expect((await send("POST", nodes("/api/message/get-jwt"), fields)).status).toBe(401);
  }
});

test("files are transferred between owners of both kinds", async () => {
  const [wallet, evm] = [createSolanaWallet(), account(devnet(), 0)];
  const evmJwt = (await getJwt(devnet(), evm)).token;
  const cid = randomUUID();
  const payload = { key: "01", index: "02" };
  await send("POST", nodes("/api/setSharedKey/1"), { address: evm.address, cid, payload }, evmJwt);
  const handOver = { address: evm.address, cid, newOwner: wallet.address };
  expect((await send("POST", nodes("/api/transferOwnership/1"), handOver, evmJwt)).status).toBe(200);
  const signature = await signNodeMessage(wallet);
  const fields = { address: wallet.address, cid };
  const reply = await send("POST", nodes("/api/retrieveSharedKey/1"), fields, signature);
  expect(reply).toEqual({ status: 200, body: { payload } });
});
