import { describe, expect, onTestFinished, test, vi } from "vitest";
import {
  kavachGetAuthMessage,
  kavachGetJwt,
  kavachRecoverShards,
  kavachRefreshJwt,
  kavachRevoke,
  kavachShare,
  type Signer,
  uploadEncrypted,
} from "../../src/index.ts";
import { failure } from "../support/failure.ts";
import { address, cid, nodeMessage, opaqueCid } from "../support/fixtures.ts";
import { createGate } from "../support/gate.ts";
import { createServer, endpointsAt, type Handler, sendJson } from "../support/http-server.ts";
import { incomplete } from "../support/incomplete.ts";
import { createSigner, createSignInNetwork, type SignInNetwork } from "../support/net-sign-in.ts";
import { toStoredRows } from "../support/stored-rows.ts";

const refused: Handler = (_, response) => sendJson(response, { message: "Invalid Signature" }, 401);

function share(network: SignInNetwork, signer: Signer, options: { signal?: AbortSignal } = {}) {
  const quick = { pauseMs: 0, retryMs: 0, attempts: 1 };
  return kavachShare(cid, { signer, endpoints: endpointsAt(network.url), ...quick, shareTo: address, ...options });
}

describe("a signer signs once", () => {
  test("for a folder of 6 files, and for the calls that follow", async () => {
    const network = await createSignInNetwork();
    const signer = createSigner();
    const files = Array.from({ length: 6 }, (_, at) => new File(["x"], `${at}.txt`));
    const { url } = await createServer(async (request, response) => sendJson(response, await toStoredRows(request)));
    const endpoints = { ...endpointsAt(network.url), upload: url };
    await uploadEncrypted(files, { apiKey: "key", signer, endpoints, pauseMs: 0 });
    await share(network, signer);
    await kavachRevoke(cid, { signer, endpoints, pauseMs: 0, revokeTo: address });
    expect(network.counts).toEqual({ messages: 1, signedIn: 1, refreshed: 0 });
    expect(signer.signed).toHaveLength(1);
    expect(network.requests).toHaveLength(2 + 6 * 5 + 5 + 5);
  });

  test("for calls made at the same time", async () => {
    const network = await createSignInNetwork();
    const signer = createSigner();
    await Promise.all(Array.from({ length: 10 }, () => share(network, signer)));
    expect(network.counts).toEqual({ messages: 1, signedIn: 1, refreshed: 0 });
    expect(signer.signed).toHaveLength(1);
  });

  test("the nodes' message, and exchanges its address, signature and chain for a token", async () => {
    const network = await createSignInNetwork();
    const signer = createSigner(address.toUpperCase().replace("0X", "0x"));
    network.replace.message = (_, response) => sendJson(response, [{ message: nodeMessage }]);
    await share(network, signer);
    expect(signer.signed).toEqual([nodeMessage]);
    const [message, exchange] = network.requests;
    expect(message?.path).toBe(`/api/message/${address}`);
    expect(JSON.parse(exchange?.body.toString() ?? "")).toEqual({
      address,
      signature: `0x${"5e".repeat(65)}`,
      chain: "ALL",
    });
  });

  test("per address and network", async () => {
    const [network, other] = [await createSignInNetwork(), await createSignInNetwork()];
    let at = address;
    const signer = createSigner();
    signer.getAddress = () => at;
    await share(network, signer);
    await share(other, signer);
    at = address.replace("aa", "bb");
    await share(network, signer);
    expect(signer.signed).toHaveLength(3);
    expect(network.counts.signedIn).toBe(2);
    expect(other.counts.signedIn).toBe(1);
  });
});

describe("a token", () => {
  test("that is about to expire is refreshed, without a signature", async () => {
    const network = await createSignInNetwork(() => 100);
    const signer = createSigner();
    await share(network, signer);
    vi.useFakeTimers({ toFake: ["Date"], now: Date.now() + 75_000 });
    onTestFinished(() => void vi.useRealTimers());
    await Promise.all([share(network, signer), share(network, signer)]);
    await share(network, signer);
    expect(network.counts).toMatchObject({ signedIn: 1, refreshed: 1 });
    expect(signer.signed).toHaveLength(1);
    const refresh = network.requests.find(({ method, path }) => method === "PUT" && path === "/api/message/get-jwt");
    expect(JSON.parse(refresh?.body.toString() ?? "")).toEqual({
      address,
      refreshToken: expect.stringMatching(/^r:/),
    });
  });

  test("of 30 s is not refreshed before every request, but in the last third of its lifetime", async () => {
    const network = await createSignInNetwork(() => 30);
    const signer = createSigner();
    for (let call = 0; call < 3; call++) await share(network, signer);
    expect(network.counts).toEqual({ messages: 1, signedIn: 1, refreshed: 0 });
    vi.useFakeTimers({ toFake: ["Date"], now: Date.now() + 21_000 });
    onTestFinished(() => void vi.useRealTimers());
    for (let call = 0; call < 3; call++) await share(network, signer);
    expect(network.counts).toEqual({ messages: 1, signedIn: 1, refreshed: 1 });
  });

  test("is used for its lifetime though this machine's clock is days ahead of the nodes'", async () => {
    const network = await createSignInNetwork(() => 3_600, -3 * 86_400);
    const signer = createSigner();
    await share(network, signer);
    await share(network, signer);
    expect(network.counts).toEqual({ messages: 1, signedIn: 1, refreshed: 0 });
  });

  test("whose refresh is refused makes the signer sign again", async () => {
    const network = await createSignInNetwork(() => 100);
    const signer = createSigner();
    await share(network, signer);
    network.replace.refresh = refused;
    vi.useFakeTimers({ toFake: ["Date"], now: Date.now() + 75_000 });
    onTestFinished(() => void vi.useRealTimers());
    await share(network, signer);
    expect(signer.signed.length).toBeGreaterThan(1);
    expect(new Set(signer.signed).size).toBe(signer.signed.length);
  });

  test("whose refresh fails to connect is kept for another attempt: no signature is lost", async () => {
    const network = await createSignInNetwork();
    const signer = createSigner();
    await share(network, signer);
    network.valid.clear();
    network.replace.refresh = (_, __, incoming) => incoming.socket.resetAndDestroy();
    expect(await failure(share(network, signer))).toMatchObject({ code: "NETWORK" });
    delete network.replace.refresh;
    await share(network, signer);
    expect(signer.signed).toHaveLength(1);
    expect(network.counts).toMatchObject({ signedIn: 1, refreshed: 2 });
  });

  test("whose refresh outlives an aborted call is kept: no signature, and no other refresh", async () => {
    const network = await createSignInNetwork();
    const signer = createSigner();
    await share(network, signer);
    network.valid.clear();
    const [refreshing, released] = [createGate(), createGate()];
    network.beforeRefreshed = () => {
      refreshing.reach();
      return released.reached;
    };
    const controller = new AbortController();
    const aborted = failure(share(network, signer, { signal: controller.signal }));
    await refreshing.reached;
    controller.abort();
    expect(await aborted).toMatchObject({ code: "ABORTED" });
    released.reach();
    await share(network, signer);
    expect(signer.signed).toHaveLength(1);
    expect(network.counts).toEqual({ messages: 1, signedIn: 1, refreshed: 1 });
  });

  test("that nodes stop accepting midway is renewed once, and the call continues", async () => {
    const network = await createSignInNetwork();
    const signer = createSigner();
    await share(network, signer);
    network.valid.clear();
    await Promise.all([share(network, signer), share(network, signer), share(network, signer)]);
    expect(network.counts).toEqual({ messages: 1, signedIn: 1, refreshed: 1 });
    expect(signer.signed).toHaveLength(1);
  });

  test("that is refused even when it is new is reported as refused", async () => {
    const network = await createSignInNetwork();
    const signer = createSigner();
    await share(network, signer);
    network.valid.clear();
    network.replace.refresh = (_, response) => sendJson(response, { token: "jwt:other", refreshToken: "r:other" });
    const error = await failure(share(network, signer));
    const details = { status: 401, reason: "signature" };
    expect(error).toMatchObject({ code: "NODE_REFUSED", message: "Invalid Signature", details });
    // Once for each node.
    expect(network.counts).toMatchObject({ signedIn: 1, refreshed: 5 });
  });

  test("without an expiry date is used until it is refused", async () => {
    const network = await createSignInNetwork();
    network.valid.add("jwt:opaque");
    network.replace.signIn = (_, response) => sendJson(response, { token: "jwt:opaque", refreshToken: "r:1" });
    const signer = createSigner();
    await share(network, signer);
    await share(network, signer);
    expect(network.counts).toEqual({ messages: 1, signedIn: 1, refreshed: 0 });
  });

  test("from the caller is used unchanged: nothing is signed or refreshed", async () => {
    const network = await createSignInNetwork();
    network.valid.add("jwt:mine");
    const options = { address, endpoints: endpointsAt(network.url), pauseMs: 0, shareTo: address };
    await kavachShare(cid, { ...options, authToken: "jwt:mine" });
    const error = await failure(kavachShare(cid, { ...options, authToken: "jwt:old" }));
    expect(error).toMatchObject({ code: "NODE_REFUSED", message: "Invalid Signature", details: { nodesDone: [] } });
    expect(network.counts).toEqual({ messages: 0, signedIn: 0, refreshed: 0 });
    expect(network.requests).toHaveLength(10);
  });
});

describe("a sign-in that fails", () => {
  test.each(["signMessage", "getAddress"] as const)(
    "because the user rejects %s, and can be tried again",
    async (method) => {
      const network = await createSignInNetwork();
      const rejection = Object.assign(new Error("user rejected action"), { code: "ACTION_REJECTED" });
      const signer = createSigner();
      const real = signer[method].bind(signer) as () => Promise<string>;
      signer[method] = async () => {
        throw rejection;
      };
      const error = await failure(share(network, signer));
      expect(error).toMatchObject({
        code: "SIGNATURE_REJECTED",
        message: "The signer did not sign the message",
      });
      const causes = [error.cause, (error.cause as Error | undefined)?.cause];
      expect(causes).toContainEqual(expect.objectContaining({ message: rejection.message, code: 4001 }));
      expect(network.counts.signedIn).toBe(0);
      signer[method] = real;
      await share(network, signer);
      expect(network.counts.signedIn).toBe(1);
    },
  );

  test.each<[string, Handler, string]>([
    ["400", (_, response) => sendJson(response, { message: "bad" }, 400), "Invalid Signature"],
    ["401", refused, "Invalid Signature"],
    ["406 with a page", (_, response) => response.writeHead(406).end("<html>"), "Invalid Signature"],
    ["a response without a token", (_, response) => sendJson(response, { refreshToken: "r:1" }), "Invalid Signature"],
    ["null", (_, response) => sendJson(response, null), "Invalid Signature"],
    ["broken JSON", (_, response) => response.end("{"), "Invalid JSON response"],
  ])("with %s", async (_, signIn, message) => {
    const network = await createSignInNetwork();
    network.replace.signIn = signIn;
    const calls = [
      share(network, createSigner()),
      kavachGetJwt(address, { signature: "0x5e", endpoints: endpointsAt(network.url) }),
    ];
    for (const error of await Promise.all(calls.map(failure))) expect(error.message).toBe(message);
    network.replace.refresh = signIn;
    const refresh = kavachRefreshJwt(address, { refreshToken: "r:1", endpoints: endpointsAt(network.url) });
    expect((await failure(refresh)).message).toBe(message);
  });

  test("because the nodes return no message to sign", async () => {
    const network = await createSignInNetwork();
    const bodies: unknown[] = [[], [{}], {}, "message", [{ message: "" }]];
    for (const body of bodies) {
      network.replace.message = (_, response) => sendJson(response, body);
      const options = { endpoints: endpointsAt(network.url) };
      expect((await failure(kavachGetAuthMessage(address, options))).code).toBe("INVALID_RESPONSE");
      const error = await failure(share(network, createSigner()));
      expect(error).toMatchObject({ code: "INVALID_RESPONSE", message: "The key nodes returned no message to sign" });
    }
  });

  test("for one of two calls that share it, because that call is aborted, still signs in the other", async () => {
    const network = await createSignInNetwork();
    const opened = createGate();
    let sign: ((signature: string) => void) | undefined;
    const signer = createSigner(address, () => {
      opened.reach();
      return new Promise((resolve) => {
        sign = resolve;
      });
    });
    const controller = new AbortController();
    const first = failure(share(network, signer, { signal: controller.signal }));
    await opened.reached;
    const second = share(network, signer);
    controller.abort();
    expect(await first).toMatchObject({ code: "ABORTED" });
    await expect.poll(() => signer.signed.length).toBe(2);
    sign?.("0x5e");
    await second;
  });
});

test.each<[string, object]>([
  ["no owner", {}],
  ["an address without a token", { address }],
  ["a token without an address", { authToken: "jwt:x" }],
])("%s is reported as missing", async (_, owner) => {
  const error = await failure(kavachRecoverShards(cid, incomplete(owner)));
  expect(error).toMatchObject({
    code: "MISSING_OWNER",
    message: "No owner: pass { signer }, or { address, authToken }",
  });
});

test.each([{}, { getAddress: () => address }, null, "0x5e"])("%j is not a signer", async (signer) => {
  const error = await failure(kavachRecoverShards(cid, { signer: signer as Signer }));
  expect(error.message).toBe(
    "Invalid option signer: expected a signer of ethers, an account or WalletClient of viem, or an EIP-1193 provider",
  );
});

test.each(["", "0x12", "0xZZ00000000000000000000000000000000000000aa", `${address}0`, 5])(
  "%j is not an address",
  async (bad) => {
    const calls = [
      kavachGetAuthMessage(bad as string),
      kavachShare(cid, { address, authToken: "jwt:x", shareTo: bad as string }),
      kavachShare(cid, { address, authToken: "jwt:x", shareTo: [address, bad as string] }),
      kavachRevoke(cid, { address, authToken: "jwt:x", revokeTo: bad as string }),
      kavachRevoke(cid, { address: bad as string, authToken: "jwt:x", revokeTo: address }),
      kavachRecoverShards(cid, { signer: createSigner(bad as string) }),
    ];
    for (const error of await Promise.all(calls.map(failure))) {
      expect(error).toMatchObject({ code: "INVALID_ADDRESS", message: "Invalid public Key" });
    }
  },
);

test("a signature that the nodes refuse for itself is requested once", async () => {
  const network = await createSignInNetwork();
  network.replace.message = (_, response) => sendJson(response, [{ message: nodeMessage }]);
  network.replace.signIn = refused;
  const signer = createSigner();
  expect(await failure(share(network, signer))).toMatchObject({ code: "INVALID_SIGNATURE" });
  expect(signer.signed).toEqual([nodeMessage]);
  expect(network.counts.signedIn).toBe(1);
});

test("another caller's wallet that rejects does not fail a call of the same account", async () => {
  const network = await createSignInNetwork();
  const asked = createGate();
  const decided = createGate();
  const other = createSigner(address, async () => {
    asked.reach();
    await decided.reached;
    throw new Error("rejected");
  });
  const rejected = failure(share(network, other));
  await asked.reached;
  const own = createSigner();
  const named = createGate();
  const getAddress = async () => {
    named.reach();
    return address;
  };
  // Of another file, as calls about one file are queued.
  const options = { endpoints: endpointsAt(network.url), pauseMs: 0, retryMs: 0, shareTo: address };
  const shared = kavachShare(opaqueCid, { ...options, signer: Object.assign(own, { getAddress }) });
  await named.reached;
  // All that is left to do before it waits for the other sign-in are microtasks.
  await new Promise(setImmediate);
  decided.reach();
  expect(await rejected).toMatchObject({ code: "SIGNATURE_REJECTED" });
  await shared;
  expect(own.signed).toHaveLength(1);
});

test("a signer that rejected a comparison once is asked again by its next call", async () => {
  const network = await createSignInNetwork();
  await share(network, createSigner());
  let rejects = true;
  const other = createSigner(address, async () => {
    if (rejects) throw new Error("rejected");
    return `0x${"5e".repeat(65)}`;
  });
  expect(await failure(share(network, other))).toMatchObject({ code: "SIGNATURE_REJECTED" });
  rejects = false;
  await share(network, other);
  expect(other.signed).toHaveLength(2);
  expect(network.counts.signedIn).toBe(1);
});
