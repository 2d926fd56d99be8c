import { Wallet } from "ethers";
import { expect, test } from "vitest";
import { createOneTimeToken } from "../../src/account/one-time-token.ts";
import { failure } from "../support/failure.ts";
import { createServer, deadUrl, endpointsAt, sendJson } from "../support/http-server.ts";

const signature = `0x${"5e".repeat(65)}`;

test("a signature at hand becomes a token without a request, the address in lower case", async () => {
  const address = "0x00000000000000000000000000000000000000AA";
  const token = await createOneTimeToken({ address, signature, endpoints: endpointsAt(await deadUrl()) });
  expect(token).toBe(`0x00000000000000000000000000000000000000aa$${signature}`);
});

test("a signer signs the message of the API host", async () => {
  const wallet = Wallet.createRandom();
  const { url } = await createServer((_, response) => sendJson(response, "sign this"));
  const token = await createOneTimeToken({ signer: wallet, endpoints: endpointsAt(url) });
  expect(token).toBe(`${wallet.address.toLowerCase()}$${await wallet.signMessage("sign this")}`);
});

test("a signer who will not sign is told apart", async () => {
  const refusal = new Error("user rejected");
  const signer = { getAddress: () => Wallet.createRandom().address, signMessage: () => Promise.reject(refusal) };
  const { url } = await createServer((_, response) => sendJson(response, "sign this"));
  const { code, cause } = await failure(createOneTimeToken({ signer, endpoints: endpointsAt(url) }));
  expect(code).toBe("SIGNATURE_REJECTED");
  expect(cause).toBe(refusal);
});
