import { Wallet } from "ethers";
import { expect, test } from "vitest";
import { listEntries, restoreBackup } from "../../packages/backup/src/index.ts";
import { rigForTests } from "../../packages/cli/test/rig.ts";
import type { HostileService, KeptToken, RelayedSignature } from "../../packages/devnet/src/index.ts";
import { createShareLink, makeRecoveryKit } from "../../packages/recovery/src/index.ts";
import {
  createApiKey,
  createOneTimeToken,
  createRecoveryIdentity,
  decrypt,
  download,
  getAuthMessage,
  getOneTimeMessage,
  iterateFiles,
  kavachGetAuthMessage,
  kavachGetJwt,
  kavachInspect,
  kavachRecoverShards,
  kavachRepair,
  kavachRevoke,
  kavachSaveShards,
  kavachSetAccessConditions,
  kavachSetDelegates,
  kavachShare,
  kavachTransferOwnership,
  openEncrypted,
  readEncryptedFolder,
  revokeEncryptedFolder,
  shareEncryptedFolder,
  upload,
  uploadEncrypted,
  uploadEncryptedFolder,
  uploadTextEncrypted,
} from "../../src/index.ts";
import { samples } from "../access-conditions/samples.ts";
import { account, getApiKey } from "../support/devnet-wire.ts";
import { failure } from "../support/failure.ts";
import { address, cid, keyShards } from "../support/fixtures.ts";

const rig = rigForTests();
const devnet = () => rig().devnet;

/** Starts the attack; `signatures` are those that it has received. */
function relay(service: HostileService): { signatures: RelayedSignature[]; stop: () => void } {
  const signatures: RelayedSignature[] = [];
  const stop = devnet().attacks.add({
    kind: "relay-message",
    service,
    onSignature: (signature) => signatures.push(signature),
  });
  return { signatures, stop };
}

/** A caller with an account of their own, which never signed in; `signed` are the messages it signed. */
function createCaller() {
  const wallet = Wallet.createRandom();
  const signed: string[] = [];
  const signer = {
    getAddress: () => wallet.address,
    signMessage: (message: string) => {
      signed.push(message);
      return wallet.signMessage(message);
    },
  };
  return { wallet, signed, signer, options: { signer, endpoints: devnet().endpoints, pauseMs: 0, attempts: 1 } };
}

type Options = ReturnType<typeof createCaller>["options"];

async function expectNothingSigned(service: HostileService, call: (options: Options) => Promise<unknown>) {
  const { signatures, stop } = relay(service);
  const { options, signed } = createCaller();
  const error = await failure(call(options)).finally(stop);
  expect(error.code).toBe("UNEXPECTED_MESSAGE");
  expect([signed, signatures]).toEqual([[], []]);
}

const post = (url: string, json: unknown) =>
  fetch(url, { method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify(json) });

test("the key nodes' message from a hostile API host, to create an API key", async () => {
  await expectNothingSigned("api", ({ signer, endpoints }) => createApiKey({ signer, endpoints }));

  // Of a client that signs everything, the host becomes the account at the key nodes.
  const { wallet, options } = createCaller();
  const { endpoints } = options;
  const { signatures, stop } = relay("api");
  const message = await (await fetch(`${endpoints.api}/api/auth/get_auth_message?publicKey=${wallet.address}`)).json();
  const signedMessage = await wallet.signMessage(message);
  await post(`${endpoints.api}/api/auth/create_api_key`, { publicKey: wallet.address, signedMessage });
  stop();
  const [{ signature } = { signature: "" }] = signatures;
  expect((await kavachGetJwt(wallet.address, { signature, endpoints })).token).toMatch(/^jwt:/);
});

test("the key nodes' message from a hostile API host, to create a one-time token", async () => {
  await expectNothingSigned("api", ({ signer, endpoints }) => createOneTimeToken({ signer, endpoints }));
});

test("the key nodes' message from a hostile API host, to sign elsewhere", async () => {
  await expectNothingSigned("api", ({ endpoints }) => getAuthMessage(address, { endpoints }));
  await expectNothingSigned("api", ({ endpoints }) => getOneTimeMessage(address, { endpoints }));
});

test("the key nodes' message from a hostile API host, to log in on the command line", async () => {
  const person = await rig().createPerson();
  const { signatures, stop } = relay("api");
  const env = { KEEPLIGHT_API_KEY: "", KEEPLIGHT_PASSWORD: "correct horse battery staple" };
  const events = await person.events(["login"], { code: 1, env }).finally(stop);
  expect(events.at(-1)).toMatchObject({ event: "error", code: "UNEXPECTED_MESSAGE" });
  expect(signatures).toEqual([]);
});

test("the API host's message from hostile key nodes, in every call of an account", async () => {
  const { endpoints } = devnet();
  const apiKey = await getApiKey(devnet(), account(devnet(), 0));
  const { recipient } = await createRecoveryIdentity();
  const [{ Hash: cid }] = await upload(new Uint8Array(100), { apiKey, endpoints });
  const calls: ((options: Options) => Promise<unknown>)[] = [
    (options) => decrypt(cid, options),
    (options) => openEncrypted(cid, options),
    (options) => kavachRecoverShards(cid, options),
    (options) => kavachInspect(cid, options),
    (options) => kavachShare(cid, { ...options, shareTo: address }),
    (options) => kavachRevoke(cid, { ...options, revokeTo: address }),
    (options) => kavachRepair(cid, options),
    (options) => kavachTransferOwnership(cid, { ...options, newOwner: address }),
    (options) => kavachSetAccessConditions(cid, { ...options, conditions: [samples.token] }),
    (options) => kavachSetDelegates(address, options),
    (options) => kavachSaveShards(cid, { ...options, keyShards }),
    (options) => makeRecoveryKit([cid], { ...options, recipients: recipient }),
    (options) => uploadEncrypted(new Uint8Array(9), { ...options, apiKey }),
    (options) => uploadTextEncrypted("text", { ...options, apiKey }),
    (options) => uploadEncryptedFolder([new File(["1"], "a")], { ...options, apiKey, name: "f" }),
    (options) => readEncryptedFolder(cid, options),
    (options) => shareEncryptedFolder(cid, { ...options, shareTo: address }),
    (options) => revokeEncryptedFolder(cid, { ...options, revokeTo: address }),
    (options) => createShareLink(cid, { ...options, page: "https://a.example/open" }),
    (options) => listEntries(cid, options).next(),
    (options) => restoreBackup(cid, "never-created", options),
  ];
  for (const call of calls) await expectNothingSigned("keyNodes", call);

  // Of a client that signs everything, the nodes become the account at the API host.
  const { wallet } = createCaller();
  const { signatures, stop } = relay("keyNodes");
  const [{ message }] = await (await fetch(`${endpoints.keyNodes}/api/message/${wallet.address}`)).json();
  const signature = await wallet.signMessage(message);
  await post(`${endpoints.keyNodes}/api/message/get-jwt`, { address: wallet.address, signature });
  stop();
  const stolen = await createApiKey({
    address: wallet.address,
    signedMessage: signatures[0]?.signature ?? "",
    endpoints,
  });
  expect((await iterateFiles({ apiKey: stolen, endpoints }).next()).done).toBe(true);
});

test("the API host's message from hostile key nodes, to sign elsewhere", async () => {
  await expectNothingSigned("keyNodes", ({ endpoints }) => kavachGetAuthMessage(address, { endpoints }));
});

test("the API host's message from hostile key nodes, to a command", async () => {
  const person = await rig().createPerson();
  const { signatures, stop } = relay("keyNodes");
  for (const [code, ...args] of [
    [1, "decrypt", cid, "-o", "opened"],
    [2, "share", cid, address],
  ] as const) {
    const events = await person.events(args, { code });
    expect(events.at(-1)).toMatchObject({ event: "error", code: "UNEXPECTED_MESSAGE" });
  }
  stop();
  expect(signatures).toEqual([]);
});

test("one key node that uses the tokens of its requests at the other nodes", async () => {
  const { endpoints, attacks } = devnet();
  const { options, wallet } = createCaller();
  const stranger = createCaller();
  const { signer, endpoints: services } = options;
  const apiKey = await createApiKey({ signer, endpoints: services });
  const kept: KeptToken[] = [];
  const stop = attacks.add({ kind: "keep-tokens", nodes: [4], onToken: (token) => kept.push(token) });
  const [{ Hash }] = await uploadEncrypted(new TextEncoder().encode("for my eyes only"), { ...options, apiKey });
  stop();

  const [{ address: victim, token: authToken } = { address: "", token: "" }] = kept;
  expect([victim, kept.every(({ node }) => node === 4)]).toEqual([wallet.address.toLowerCase(), true]);
  const asVictim = { address: victim, authToken, endpoints, pauseMs: 0 };
  const text = (bytes: Uint8Array) => new TextDecoder().decode(bytes);
  expect(text(await decrypt(Hash, asVictim))).toBe("for my eyes only");
  await kavachShare(Hash, { ...asVictim, shareTo: stranger.wallet.address });
  expect(text(await decrypt(Hash, stranger.options))).toBe("for my eyes only");
  // What the node cannot do: make other bytes of the content id.
  expect(await download(Hash, { endpoints, verifyCid: true })).toHaveLength("for my eyes only".length + 44);
});
