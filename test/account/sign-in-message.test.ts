import { Wallet } from "ethers";
import { describe, expect, test } from "vitest";
import {
  createApiKey,
  createKit,
  createOneTimeToken,
  getAuthMessage,
  getOneTimeMessage,
  kavachGetAuthMessage,
  kavachShare,
  type Signer,
  type SignInService,
  type SigningOptions,
} from "../../src/index.ts";
import { failure } from "../support/failure.ts";
import { address, cid, hostMessage, nodeMessage } from "../support/fixtures.ts";
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

const uuid = nodeMessage.slice(-36);

const hostile: [string, string][] = [
  ["the sign-in of another site", otherSite],
  ["the sign-in of another site after a known prefix", `${hostForm}\n${otherSite}`],
  ["a URL after a known prefix", `${hostForm}: https://bank.example`],
  ["a URL after a message of the key nodes", `${nodeMessage} https://bank.example`],
  ["a message of the key nodes without an id", `${nodeForm}: `],
  ["a message of the key nodes with another id", `${nodeForm}: 7`],
  ["a message of the key nodes with more after it", `${nodeMessage}\nand everything else`],
  ["a message of the key nodes with a line feed after it", `${nodeMessage}\n`],
  ["a message of the key nodes in other spacing", `${nodeForm}:  ${uuid}`],
  ["a known prefix that is not at the start", ` ${nodeMessage}`],
  ["a known prefix of the API host that is not at the start", ` ${hostMessage}`],
  ["a known prefix in upper case", nodeMessage.toUpperCase()],
  ["a known prefix of the API host in upper case", hostMessage.toUpperCase()],
  ["control characters", `${hostForm}: \u001b[2J1`],
  ["characters that reverse the line", `${hostForm}: \u202e1`],
  ["a very long message", `${hostForm}: ${"1".repeat(500)}`],
  ["a sign-in spaced in another way", `${hostForm}: 1\nbank.example wants you\nto  sign in`],
  ["the fields of a sign-in", `${hostForm}: 1\nChain ID: 1\nIssued At : 2026-01-01`],
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

type Services = Awaited<ReturnType<typeof startServices>>;
type Options = Services["options"] & SigningOptions;
const forms: Record<SignInService, { own: string[]; other: string }> = {
  keyNodes: { own: [nodeMessage, `${nodeForm}: ${uuid.toUpperCase()}`], other: hostMessage },
  api: { own: [hostMessage, hostForm, `${hostForm}\n${address}\n7`], other: nodeMessage },
};

/** The ways to write a message so that a service might still take it for its own. */
const disguises: [string, (message: string) => string][] = [
  ["as it is", (message) => message],
  ["after white space", (message) => ` \n\t${message}`],
  ["after a byte order mark", (message) => `\ufeff${message}`],
  ["in upper case", (message) => message.toUpperCase()],
  ["in other spacing", (message) => message.replaceAll(" ", " \u00a0")],
  ["with invisible characters", (message) => message.replaceAll("e", "e\u200b")],
  [
    "in full-width letters",
    (message) => message.replace(/[a-z]/g, (c) => String.fromCharCode(c.charCodeAt(0) + 0xfee0)),
  ],
  ["with accents", (message) => message.replaceAll("o", "ó")],
  ["after another sentence", (message) => `Welcome. ${message}`],
  ["in hex digits, which some wallets decode", (message) => `0x${Buffer.from(message).toString("hex")}`],
  ["in hex digits without a prefix", (message) => Buffer.from(message).toString("hex").toUpperCase()],
];

const signing: [string, SignInService, (options: Options) => Promise<unknown>][] = [
  [
    "the key nodes",
    "keyNodes",
    (options) => kavachShare(cid, { ...options, pauseMs: 0, retryMs: 0, shareTo: address }),
  ],
  ["the API host, for an API key", "api", (options) => createApiKey(options)],
  ["the API host, for a one-time token", "api", (options) => createOneTimeToken(options)],
];

const returning: typeof signing = [
  ["the key nodes", "keyNodes", ({ signer: _, ...options }) => kavachGetAuthMessage(address, options)],
  ["the API host, for an API key", "api", ({ signer: _, ...options }) => getAuthMessage(address, options)],
  ["the API host, for a one-time token", "api", ({ signer: _, ...options }) => getOneTimeMessage(address, options)],
];

async function expectRefused({ signed, server }: Services, work: Promise<unknown>): Promise<void> {
  const error = await failure(work);
  expect(error.code).toBe("UNEXPECTED_MESSAGE");
  expect(error.details["excerpt"]).toMatch(/^[\x20-\x7e]{0,80}$/);
  expect(signed).toEqual([]);
  expect(server.requests.map(({ method }) => method)).toEqual(["GET"]);
}

describe.each([
  ...signing.map(([name, ...rest]) => [`signed for ${name}`, ...rest] as const),
  ...returning.map(([name, ...rest]) => [`returned from ${name}`, ...rest] as const),
])("messages %s", (_, service, call) => {
  test.each(hostile)("%s is refused", async (__, message) => {
    const services = await startServices(message);
    await expectRefused(services, call(services.options));
  });

  test.each(disguises)(
    "the other service's message %s is refused, whatever acceptMessage returns",
    async (__, write) => {
      const services = await startServices(write(forms[service].other));
      const asked: string[] = [];
      const acceptMessage = (message: string) => asked.push(message) > 0;
      await expectRefused(services, call({ ...services.options, acceptMessage }));
      expect(asked).toEqual([]);
    },
  );

  test("the other service's message after the own prefix is refused", async () => {
    const services = await startServices(`${forms[service].own[0]} ${forms[service].other}`);
    await expectRefused(services, call({ ...services.options, acceptMessage: () => true }));
  });

  test("another message is accepted if acceptMessage returns true for it, and only then", async () => {
    const message = "Sign in to our own network";
    const { options } = await startServices(message);
    const asked: unknown[] = [];
    const acceptMessage: SigningOptions["acceptMessage"] = (...args) => {
      asked.push(args);
      return args[0] === message;
    };
    await call({ ...options, acceptMessage });
    expect(asked).toEqual([[message, { service }]]);
    const other = await startServices("another");
    await expectRefused(other, call({ ...other.options, acceptMessage }));
    const truthy = (() => "yes") as unknown as () => boolean;
    expect((await failure(call({ ...other.options, acceptMessage: truthy }))).code).toBe("UNEXPECTED_MESSAGE");
    expect(other.signed).toEqual([]);
  });

  test("an acceptMessage that is not a function is refused before anything is sent", async () => {
    const { options, server } = await startServices("another");
    const error = await failure(call({ ...options, acceptMessage: true as never }));
    expect(error.message).toBe("Invalid option acceptMessage: expected a function");
    expect(server.requests).toEqual([]);
  });
});

test.each(signing)("known messages of %s are signed", async (_, service, call) => {
  for (const message of forms[service].own) {
    const { signed, options } = await startServices(message);
    await call(options);
    expect(signed).toEqual([message]);
  }
});

test.each(returning)("known messages of %s are returned", async (_, service, call) => {
  for (const message of forms[service].own) {
    const { options } = await startServices(message);
    const returned = await call(options);
    expect([message, { message }]).toContainEqual(returned);
  }
});

test("a kit binds acceptMessage", async () => {
  const { server } = await startServices("another");
  const wallet = Wallet.createRandom();
  const kit = createKit({ signer: wallet, endpoints: endpointsAt(server.url), acceptMessage: () => true });
  expect(await kit.createApiKey()).toBe("key");
  expect(await kit.getOneTimeMessage(address)).toBe("another");
});
