import { getAddress } from "ethers";
import { describe, expect, test } from "vitest";
import {
  accessControl,
  getJWT,
  recoverShards,
  revokeAccess,
  saveShards,
  shareToAddress,
  transferOwnership,
} from "../../packages/kavach/src/index.ts";
import lighthouse, { shareFile } from "../../packages/lighthouse-sdk/src/index.ts";
import { pointAt, rejection } from "../../packages/lighthouse-sdk/test/stage.ts";
import * as kit from "../../src/index.ts";
import { samples } from "../access-conditions/samples.ts";
import { failure } from "../support/failure.ts";
import { address, cid, keyShards } from "../support/fixtures.ts";
import { createServer, endpointsAt } from "../support/http-server.ts";

// What users type or pass by mistake is refused before anything is sent, and the error says what is right.

const right = getAddress(address);
/** One letter in the other case, as after a typing error. */
const wrong = right.replace(/[a-f](?=[^a-f]*$)/i, (letter) =>
  letter === letter.toLowerCase() ? letter.toUpperCase() : letter.toLowerCase(),
);
const owner = { address, authToken: "jwt:token" };
const condition = { ...samples.token, contractAddress: wrong };

describe("an address with a wrong checksum", () => {
  const calls: [name: string, call: (options: typeof owner & { endpoints: kit.Endpoints }) => Promise<unknown>][] = [
    ["kavachShare", (options) => kit.kavachShare(cid, { ...options, shareTo: wrong })],
    ["kavachRevoke", (options) => kit.kavachRevoke(cid, { ...options, revokeTo: [wrong] })],
    ["kavachTransferOwnership", (options) => kit.kavachTransferOwnership(cid, { ...options, newOwner: wrong })],
    ["kavachSetDelegates", (options) => kit.kavachSetDelegates([wrong], options)],
    ["uploadEncrypted", (options) => kit.uploadEncrypted(new Blob(["1"]), { ...options, apiKey: "k", shareTo: wrong })],
    ["shareEncryptedFolder", (options) => kit.shareEncryptedFolder(cid, { ...options, shareTo: [wrong] })],
    ["createApiKey", ({ endpoints }) => kit.createApiKey({ address: wrong, signedMessage: "0x5e", endpoints })],
    [
      "uploadEncryptedFolder",
      ({ endpoints }) =>
        kit.uploadEncryptedFolder([new File(["1"], "a")], { ...owner, endpoints, apiKey: "k", shareTo: wrong }),
    ],
    ["revokeEncryptedFolder", (options) => kit.revokeEncryptedFolder(cid, { ...options, revokeTo: [address, wrong] })],
    [
      "estimatePayment",
      ({ endpoints }) =>
        kit.estimatePayment({ endpoints, rpc: endpoints.api, token: "usdc", amount: 1n, address: wrong }),
    ],
    [
      "verifyPayment",
      ({ endpoints }) =>
        kit.verifyPayment(`0x${"ab".repeat(32)}`, {
          endpoints,
          rpc: endpoints.api,
          token: "usdc",
          amount: 1n,
          sender: wrong,
        }),
    ],
    ["listPayments", ({ endpoints }) => kit.listPayments(wrong, { endpoints, rpc: endpoints.api, fromBlock: 1 })],
  ];
  test.each(calls)("is refused by %s, which says how it is spelled", async (_, call) => {
    const { url, requests } = await createServer((__, response) => response.end("{}"));
    const error = await failure(call({ ...owner, endpoints: endpointsAt(url) as kit.Endpoints }));
    expect(error.code).toBe("INVALID_ADDRESS");
    expect(error.details["expected"]).toBe(right);
    expect(error.message).toBe("Invalid public Key");
    expect(String(error)).toContain(`if all digits are right, it is ${right}`);
    expect(requests).toEqual([]);
  });

  const equals = (value: string | string[] | string[][]) => ({ comparator: "==", value }) as const;
  test.each<[field: string, condition: kit.EvmCondition]>([
    ["contractAddress", condition],
    ["parameters[0]", { ...samples.token, parameters: [wrong] }],
    ["parameters[1]", { ...samples.custom, parameters: [":userAddress", [address, wrong]] }],
    ["parameters[1]", { ...samples.custom, parameters: [":userAddress", [[{ of: wrong }]]] }],
    ["returnValueTest.value", { ...samples.token, returnValueTest: equals(wrong) }],
    ["returnValueTest.value[1]", { ...samples.token, returnValueTest: equals([address, wrong]) }],
    ["returnValueTest.value[0]", { ...samples.token, returnValueTest: equals([[wrong]]) }],
  ])("is refused in %s of conditions", async (field, misspelled) => {
    const { url, requests } = await createServer((__, response) => response.end("{}"));
    const error = await failure(
      kit.kavachSetAccessConditions(cid, { ...owner, endpoints: endpointsAt(url), conditions: [misspelled] }),
    );
    const expected = `has a wrong checksum: if all digits are right, it is ${right}`;
    expect(error.details["problems"]).toEqual([{ position: 0, id: 1, field, expected }]);
    expect(requests).toEqual([]);
  });

  test("is refused by the drop-ins", async () => {
    const { url, requests } = await createServer((__, response) => response.end("{}"));
    pointAt(endpointsAt(url) as never);
    // As the incumbent says it.
    const refused = await rejection(shareFile(address, [wrong], cid, "jwt:token"));
    expect(refused).toMatchObject({ message: "Invalid address" });
    for (const result of [
      await shareToAddress(address, cid, "jwt:token", [wrong]),
      await transferOwnership(address, cid, wrong, "jwt:token"),
      await revokeAccess(address, cid, "jwt:token", [wrong]),
      await saveShards(address, cid, "jwt:token", keyShards, [wrong]),
      await recoverShards(wrong, cid, "jwt:token"),
      await accessControl(address, cid, "jwt:token", [{ ...condition, parameters: [":userAddress"] }]),
    ]) {
      expect(JSON.stringify(result)).toMatch(/Invalid address|wrong checksum/);
    }
    expect(await getJWT(wrong, "0x5e")).toMatchObject({ error: "Invalid Signature" });
    for (const call of [
      lighthouse.getAuthMessage(wrong),
      lighthouse.getApiKey(wrong, "0x5e"),
      lighthouse.revokeFileAccess(address, wrong, cid, "jwt:token"),
      lighthouse.applyAccessCondition(address, cid, "jwt:token", [condition]),
      lighthouse.uploadEncrypted(process.execPath, "key", wrong, "jwt:token"),
      lighthouse.textUploadEncrypted("text", "key", wrong, "jwt:token"),
    ]) {
      expect(await rejection(call)).toMatchObject({
        message: expect.stringMatching(/Invalid (address|public Key)|wrong checksum/),
      });
    }
    expect(requests).toEqual([]);
  });

  test("passes in lower and in upper case", async () => {
    for (const spelled of [address.toLowerCase(), `0x${address.slice(2).toUpperCase()}`, right]) {
      const { url, requests } = await createServer((__, response) => response.end('{"message":"success"}'));
      await kit.kavachSetDelegates([spelled], { ...owner, endpoints: endpointsAt(url) });
      expect(requests).toHaveLength(5);
      expect(requests[0]?.body.toString()).toContain(address.toLowerCase());
    }
  });
});

test.each<[what: string, passed: unknown, advice: string]>([
  ["an uploaded file", { Name: "a", Hash: cid, Size: "1" }, "an uploaded file was passed: pass its Hash"],
  ["a list of uploaded files", [{ Hash: cid }], "a list was passed: pass the Hash of one of its items"],
  ["a promise", Promise.resolve(cid), "a Promise was passed: is an await missing?"],
  ["a path", `${cid}/a.txt`, "pass the content id alone, not a URL or a path"],
  ["a URL that is no text", new URL(`ipfs://${cid}`), "pass the content id alone, not a URL or a path"],
  ["a URL", `https://gateway.example/ipfs/${cid}`, "pass the content id alone, not a URL or a path"],
])("%s in place of a content id is recognised", async (_, passed, advice) => {
  const error = await failure(kit.download(passed as string));
  expect(error).toMatchObject({ code: "INVALID_CID", details: { advice } });
  expect(String(error)).toContain(advice);
});

test.each<[what: string, passed: unknown, received: string]>([
  ["a key", "secret-key-of-mine", "a string"],
  ["null", null, "null"],
  ["a list", [], "a list"],
])("%s in place of the options is named by its type, and not shown", async (_, passed, received) => {
  const error = await failure(kit.upload(new Blob(["1"]), passed as kit.UploadAccess));
  expect(error).toMatchObject({ code: "INVALID_OPTION", details: { option: "options", received } });
  expect(String(error)).toContain(`expected an object: such as { apiKey }, not ${received}`);
});

const circular: Record<string, unknown> = {};
circular["self"] = circular;
test.each([
  ["circular", circular],
  ["a bigint", { amount: 1n }],
])("dynamicData that is %s is refused before anything is sent", async (_, dynamicData) => {
  const { url, requests } = await createServer((__, response) => response.end("{}"));
  const options = { ...owner, dynamicData, endpoints: endpointsAt(url) };
  for (const call of [kit.decrypt, kit.kavachRecoverShards, kit.kavachInspect]) {
    const error = await failure(call(cid, options as never) as Promise<unknown>);
    expect(error).toMatchObject({ code: "INVALID_OPTION", details: { option: "dynamicData" } });
  }
  expect(requests).toEqual([]);
});

test("estimatePayment accepts the options of payWithToken", async () => {
  const privateKey = "1".repeat(64);
  const error = await failure(
    kit.estimatePayment({ network: "polygon", token: "usdc", amount: 1n, privateKey, rpc: "http://127.0.0.1:1" }),
  );
  expect(error.code).not.toBe("INVALID_OPTION");
});
