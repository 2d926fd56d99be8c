import { Wallet } from "ethers";
import { describe, expect, test } from "vitest";
import { createApiKey, createKit, createOneTimeToken, kavachShare, type Signer } from "../../src/index.ts";
import { failure } from "../support/failure.ts";
import { address, cid } from "../support/fixtures.ts";
import { createServer, endpointsAt, sendJson } from "../support/http-server.ts";

const nodeForm = "Please sign this message to prove you are owner of this account";
const hostForm = "Please prove you are the owner";

const otherSite = `bank.example wants you to sign in with your Ethereum account:
${address}

Please prove you are the owner

URI: https://bank.example/login
Version: 1
Chain ID: 1
Nonce: 32891756
Issued At: 2026-01-01T00:00:00Z`;

const hostile: [string, string][] = [
  ["the sign-in of another site", otherSite],
  ["the sign-in of another site after a known prefix", `${hostForm}\n${otherSite}`],
  ["a URL after a known prefix", `${nodeForm}: https://bank.example`],
  ["a known prefix that is not at the start", ` ${nodeForm}: 1`],
  ["a known prefix in upper case", `${nodeForm.toUpperCase()}: 1`],
  ["control characters", `${nodeForm}: \u001b[2J1`],
  ["characters that reverse the line", `${nodeForm}: \u202e1`],
  ["a very long message", `${nodeForm}: ${"1".repeat(500)}`],
  ["a sign-in spaced in another way", `${nodeForm}: 1\nbank.example wants you\nto  sign in`],
  ["the fields of a sign-in", `${nodeForm}: 1\nChain ID: 1\nIssued At : 2026-01-01`],
  ["additional letters at the end of a known prefix", `${hostForm}ship transfer of everything`],
  ["a hash", `0x${"ab".repeat(32)}`],
  ["another message", "I agree"],
];

/** Starts all services; they request a signature of this message. */
async function startServices(message: string) {
  const server = await createServer((request, response) => {
    const { method, path } = request;
    if (path === "/api/message/get-jwt") return sendJson(response, { token: "jwt:1", refreshToken: "r:1" });
    if (path.startsWith("/api/message/")) return sendJson(response, [{ message }]);
    if (path.startsWith("/api/auth/")) return sendJson(response, method === "GET" ? message : "key");
    return sendJson(response, { message: "success" });
  });
  const signed: string[] = [];
  const signer: Signer = {
    getAddress: () => address,
    signMessage: async (text) => {
      signed.push(text);
      return "0x5e";
    },
  };
  return { server, signed, options: { signer, endpoints: endpointsAt(server.url) } };
}

type Options = Awaited<ReturnType<typeof startServices>>["options"] & { acceptMessage?: (message: string) => boolean };
const calls: [string, (options: Options) => Promise<unknown>][] = [
  ["the key nodes", (options) => kavachShare(cid, { ...options, pauseMs: 0, retryMs: 0, shareTo: address })],
  ["the API host, for an API key", (options) => createApiKey(options)],
  ["the API host, for a one-time token", (options) => createOneTimeToken(options)],
];

describe.each(calls)("messages from %s", (_, call) => {
  test.each(hostile)("%s is not signed", async (__, message) => {
    const { signed, options, server } = await startServices(message);
    const error = await failure(call(options));
    expect(error.code).toBe("UNEXPECTED_MESSAGE");
    expect(error.details["excerpt"]).toMatch(/^[\x20-\x7e]{0,80}$/);
    expect(signed).toEqual([]);
    expect(server.requests.map(({ method }) => method)).toEqual(["GET"]);
  });

  test.each([
    `${nodeForm}: 5b0c3a2e-6f1c`,
    `${hostForm} of this wallet by signing this message, nonce=7`,
    `${hostForm}\n${address}\n7`,
  ])("%j is signed", async (message) => {
    const { signed, options } = await startServices(message);
    await call(options);
    expect(signed).toEqual([message]);
  });

  test("another message is signed if acceptMessage returns true for it, and only then", async () => {
    const { signed, options } = await startServices("Sign in to our own network");
    const checked: string[] = [];
    const acceptMessage = (message: string) => {
      checked.push(message);
      return message.startsWith("Sign in to our own network");
    };
    await call({ ...options, acceptMessage });
    expect([checked, signed]).toEqual([["Sign in to our own network"], ["Sign in to our own network"]]);
    const { signed: none, options: other } = await startServices("another");
    expect((await failure(call({ ...other, acceptMessage }))).code).toBe("UNEXPECTED_MESSAGE");
    const truthy = (() => "yes") as unknown as () => boolean;
    expect((await failure(call({ ...other, acceptMessage: truthy }))).code).toBe("UNEXPECTED_MESSAGE");
    expect(none).toEqual([]);
  });

  test("an acceptMessage that is not a function is refused before anything is sent", async () => {
    const { options, server } = await startServices("another");
    const error = await failure(call({ ...options, acceptMessage: true as never }));
    expect(error.message).toBe("Invalid option acceptMessage: expected a function");
    expect(server.requests).toEqual([]);
  });
});

test("a kit binds acceptMessage", async () => {
  const { server } = await startServices("another");
  const wallet = Wallet.createRandom();
  const kit = createKit({ signer: wallet, endpoints: endpointsAt(server.url), acceptMessage: () => true });
  expect(await kit.createApiKey()).toBe("key");
});
