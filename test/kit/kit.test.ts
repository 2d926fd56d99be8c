import { describe, expect, test } from "vitest";
import * as everything from "../../src/index.ts";
import { createKit, type Signer } from "../../src/index.ts";
import { failure } from "../support/failure.ts";
import { address, cid, hostMessage, nodeMessage } from "../support/fixtures.ts";
import { createServer, endpointsAt, sendJson } from "../support/http-server.ts";
import { incomplete } from "../support/incomplete.ts";
import { toStoredRows } from "../support/stored-rows.ts";

const other = "0x00000000000000000000000000000000000000bb";
const quick = { pauseMs: 0, retryMs: 0 };

const createNetwork = () =>
  createServer(async (request, response) => {
    if (request.path === "/api/v0/add") return sendJson(response, await toStoredRows(request));
    if (request.path === "/api/message/get-jwt")
      return sendJson(response, { token: "jwt:signed", refreshToken: "r:1" });
    if (request.path.startsWith("/api/message/")) return sendJson(response, [{ message: nodeMessage }]);
    if (request.path === "/api/auth/create_api_key") return sendJson(response, "made");
    if (request.path.startsWith("/api/auth/")) return sendJson(response, hostMessage);
    return sendJson(response, { message: "success" });
  });

type Sent = Awaited<ReturnType<typeof createNetwork>>["requests"][number] | undefined;
const bearer = (request: Sent) => request?.headers.authorization;
const sender = (request: Sent) => JSON.parse(request?.body.toString() ?? "").address;

describe("createKit", () => {
  test("has every public function that takes options of the network", () => {
    const notInKits = [
      "createKit",
      "discoverWallets",
      "isKeeplightError",
      "isUnfinished",
      "KeeplightError",
      "openJournal",
      "parseFolderName",
      "resumePayments",
      "UnfinishedError",
    ];
    const functions = Object.entries(everything).flatMap(([name, value]) =>
      typeof value === "function" ? [name] : [],
    );
    expect(Object.keys(createKit()).sort()).toEqual(functions.filter((name) => !notInKits.includes(name)).sort());
  });

  test("returns functions without requests unchanged", async () => {
    const { masterKey, keyShards } = await createKit().kavachGenerate();
    expect((await createKit().kavachRecoverKey(keyShards.slice(1, 4))).masterKey).toBe(masterKey);
  });

  test("binds options to every call", async () => {
    const { url, requests } = await createNetwork();
    const kit = createKit({ apiKey: "bound", address, authToken: "jwt:bound", endpoints: endpointsAt(url), ...quick });
    await kit.upload(new Uint8Array(1));
    await kit.uploadText("text", { name: "n.txt" });
    await kit.uploadEncrypted(new Uint8Array(1));
    await kit.kavachShare(cid, { shareTo: other });
    const uploads = requests.filter(({ path }) => path === "/api/v0/add");
    expect(uploads.map(bearer)).toEqual(Array(3).fill("Bearer bound"));
    const nodes = requests.filter(({ path }) => path.startsWith("/api/setSharedKey"));
    expect(nodes.map((request) => [bearer(request), sender(request)])).toEqual(
      Array(10).fill(["Bearer jwt:bound", address]),
    );
  });

  test("binds each gateway of a list", async () => {
    const stored = await createServer((_, response) => void response.end("stored"));
    const gateway = [(await createServer((_, response) => sendJson(response, {}, 500))).url, stored.url];
    const kit = createKit({ endpoints: { gateway } });
    expect(new TextDecoder().decode(await kit.download(cid, { verifyCid: false }))).toBe("stored");
  });

  test("options of a call override bound ones; undefined counts as omitted", async () => {
    const { url, requests } = await createNetwork();
    const kit = createKit({ apiKey: "bound", endpoints: endpointsAt(url) });
    await kit.upload(new Uint8Array(1), { apiKey: "own", cidVersion: 0 });
    await kit.upload(new Uint8Array(1), { apiKey: undefined, name: undefined });
    expect(requests.map(bearer)).toEqual(["Bearer own", "Bearer bound"]);
    expect(requests.map(({ query }) => query["cid-version"])).toEqual(["0", "1"]);
  });

  test("binds what is not known yet: only calls that need it refuse it", async () => {
    const { url, requests } = await createNetwork();
    const kit = createKit({ apiKey: "", address: "", authToken: "", endpoints: endpointsAt(url), ...quick });
    expect((await failure(kit.upload(new Uint8Array(1), incomplete()))).code).toBe("MISSING_API_KEY");
    expect((await failure(kit.kavachShare(cid, { shareTo: other }))).code).toBe("INVALID_OPTION");
    const signer: Signer = { getAddress: () => other, signMessage: async () => "0x5e" };
    const own = { signer, authToken: null as never };
    await createKit({ endpoints: endpointsAt(url), ...quick }).kavachShare(cid, { shareTo: other, ...own });
    expect(sender(requests.at(-1))).toBe(other);
  });

  test("a call without its subject is refused as such, and never takes what is bound for it", async () => {
    const kit = createKit({ apiKey: "bound", address, authToken: "jwt:bound" }) as unknown as Record<
      string,
      () => Promise<unknown>
    >;
    expect((await failure(kit["upload"]?.() as Promise<unknown>)).code).toBe("INVALID_SOURCE");
    expect((await failure(kit["getFileInfo"]?.() as Promise<unknown>)).details).toMatchObject({ cid: "undefined" });
  });

  test("replaces an owner as a whole", async () => {
    const { url, requests } = await createNetwork();
    const endpoints = endpointsAt(url);
    const signer: Signer = { getAddress: () => other, signMessage: async () => "0x5e" };
    const withToken = createKit({ address, authToken: "jwt:bound", endpoints, ...quick });
    const withSigner = createKit({ signer, endpoints, ...quick });

    await withToken.kavachShare(cid, { shareTo: other, signer });
    expect([bearer(requests.at(-1)), sender(requests.at(-1))]).toEqual(["Bearer jwt:signed", other]);
    await withSigner.kavachShare(cid, { shareTo: other, address, authToken: "jwt:own" });
    expect([bearer(requests.at(-1)), sender(requests.at(-1))]).toEqual(["Bearer jwt:own", address]);

    const half = await failure(withToken.kavachShare(cid, { shareTo: other, address: other } as { shareTo: string }));
    expect(half.code).toBe("MISSING_OWNER");
  });

  test("a bound address can be signed in with a new token", async () => {
    const { url, requests } = await createNetwork();
    const kit = createKit({ address, authToken: "jwt:old", endpoints: endpointsAt(url), ...quick });
    await kit.kavachShare(cid, { shareTo: other, authToken: "jwt:new" } as { shareTo: string });
    expect([bearer(requests.at(-1)), sender(requests.at(-1))]).toEqual(["Bearer jwt:new", address]);
  });

  test("does not pay with the signer of messages", async () => {
    const wallet = { getAddress: () => address, signMessage: async () => "0x5e", sendTransaction: async () => ({}) };
    const order = { network: "polygon", token: "usdc", amount: 1n } as const;
    const error = await failure(createKit({ signer: wallet }).payWithToken(order as never));
    expect(error.code).toBe("MISSING_PRIVATE_KEY");
  });

  test("binds every gateway of a list", async () => {
    const down = await createServer((_, response) => response.writeHead(503).end());
    const up = await createServer((_, response) => response.end("bytes"));
    const kit = createKit({ endpoints: { gateway: [down.url, up.url] } });
    expect(new TextDecoder().decode(await kit.download(cid, { verifyCid: false }))).toBe("bytes");
  });

  test("serves calls without a subject", async () => {
    const { url, requests } = await createNetwork();
    const signer: Signer = { getAddress: () => address, signMessage: async (message) => `0x${message.length}` };
    const kit = createKit({ signer, endpoints: endpointsAt(url) });
    expect(await kit.createApiKey()).toBe("made");
    expect(JSON.parse(requests.at(-1)?.body.toString() ?? "")).toEqual({
      publicKey: address,
      signedMessage: `0x${hostMessage.length}`,
    });
  });

  test("rejects instead of throwing, and is frozen", async () => {
    const kit = createKit();
    expect((await failure(kit.upload(new Uint8Array(1), incomplete()))).code).toBe("MISSING_API_KEY");
    expect((await failure(kit.download("nonsense"))).code).toBe("INVALID_CID");
    expect(Object.isFrozen(kit)).toBe(true);
  });

  test("a bound signal ends every call", async () => {
    const controller = new AbortController();
    const { url } = await createServer(() => controller.abort());
    const kit = createKit({ apiKey: "k", signal: controller.signal, endpoints: endpointsAt(url) });
    const calls = [kit.upload(new Uint8Array(1)), kit.download(cid), kit.getAuthMessage(address)];
    for (const { code } of await Promise.all(calls.map(failure))) expect(code).toBe("ABORTED");
  });
});
