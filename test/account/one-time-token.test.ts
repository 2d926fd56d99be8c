import { Wallet } from "ethers";
import { expect, test } from "vitest";
import { createApiKey, createOneTimeToken } from "../../src/storage/account/api-key.ts";
import { failure } from "../support/failure.ts";
import { signature } from "../support/fixtures.ts";
import { createServer, endpointsAt, findClosedUrl, sendJson } from "../support/http-server.ts";
import { incomplete } from "../support/incomplete.ts";

const message = "Please prove you are the owner of this wallet: 1";

test("an existing signature becomes a token without a request, with the address in lower case", async () => {
  const address = "0x00000000000000000000000000000000000000AA";
  const token = await createOneTimeToken({ address, signature, endpoints: endpointsAt(await findClosedUrl()) });
  expect(token).toBe(`0x00000000000000000000000000000000000000aa$${signature}`);
});

test("a signer signs the message of the API host", async () => {
  const wallet = Wallet.createRandom();
  const { url } = await createServer((_, response) => sendJson(response, message));
  const token = await createOneTimeToken({ signer: wallet, endpoints: endpointsAt(url) });
  expect(token).toBe(`${wallet.address.toLowerCase()}$${await wallet.signMessage(message)}`);
});

test("an owner with neither a signer nor a signature is refused with what each call takes", async () => {
  const half = incomplete({ address: "0x00000000000000000000000000000000000000aa" });
  expect((await failure(createOneTimeToken(half))).message).toBe(
    "No owner: pass { signer }, or { address, signature }",
  );
  expect((await failure(createApiKey(half))).message).toBe("No owner: pass { signer }, or { address, signedMessage }");
});

test("a signer may return its signature synchronously", async () => {
  const { url } = await createServer((_, response) => sendJson(response, message));
  const address = "0x00000000000000000000000000000000000000aa";
  const signer = { getAddress: () => address, signMessage: () => signature as never };
  const { signal } = new AbortController();
  expect(await createOneTimeToken({ signer, signal, endpoints: endpointsAt(url) })).toBe(`${address}$${signature}`);
});

test("a rejection by the signer has a code of its own", async () => {
  const refusal = new Error("user rejected");
  const signer = { getAddress: () => Wallet.createRandom().address, signMessage: () => Promise.reject(refusal) };
  const { url } = await createServer((_, response) => sendJson(response, message));
  const { code, cause } = await failure(createOneTimeToken({ signer, endpoints: endpointsAt(url) }));
  expect(code).toBe("SIGNATURE_REJECTED");
  expect(cause).toMatchObject({ message: "user rejected" });
});
