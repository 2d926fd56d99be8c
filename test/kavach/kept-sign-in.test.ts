import { Wallet } from "ethers";
import { expect, test } from "vitest";
import { createApiKey, createKit, kavachShare } from "../../src/index.ts";
import type { SignInKeeper } from "../../src/keys/auth/kept-session.ts";
import { type DatedJwt, keepSignIn } from "../../src/parts/index.ts";
import { devnetForTests } from "../support/devnet-wire.ts";
import { address, cid } from "../support/fixtures.ts";
import { createGate } from "../support/gate.ts";
import { endpointsAt } from "../support/http-server.ts";
import { createSigner, createSignInNetwork } from "../support/net-sign-in.ts";

const devnet = devnetForTests();

/** An account whose sign-in is kept, and what its wallet signs. */
async function createKeptAccount() {
  const wallet = new Wallet(Wallet.createRandom().privateKey);
  const { endpoints } = devnet();
  const apiKey = await createApiKey({ signer: wallet, endpoints });
  const kept = new Map<string, DatedJwt>();
  let signatures = 0;
  let refused: Error | undefined;
  const createKeeper = (): SignInKeeper => ({
    assertUsable() {
      if (refused) throw refused;
    },
    async exchange(keyNodes, work) {
      const jwt = await work(kept.get(keyNodes));
      kept.set(keyNodes, jwt);
      return jwt;
    },
  });
  /** As a page does that was opened later. */
  const createSigner = () => ({
    getAddress: async () => wallet.address,
    async signMessage(message: string) {
      signatures++;
      return wallet.signMessage(message);
    },
  });
  const open = (signer: object) => createKit({ apiKey, endpoints, pauseMs: 0, retryMs: 0, signer: signer as Wallet });
  return {
    kept,
    count: () => signatures,
    refuse(error: Error) {
      refused = error;
    },
    openKept() {
      const keeper = createKeeper();
      return open(keepSignIn(createSigner(), () => keeper));
    },
    openOther: () => open(createSigner()),
  };
}

test("a sign-in that is kept signs once for all who have its keeper, and for nobody else", async () => {
  const account = await createKeptAccount();
  const [file] = await account.openKept().uploadTextEncrypted("hello", { name: "a.txt" });
  await account.openKept().decrypt(file.Hash);
  expect(account.count()).toBe(1);
  expect(account.kept.size).toBe(1);
  // Another signer that claims the address proves it by itself.
  await account.openOther().decrypt(file.Hash);
  expect(account.count()).toBe(2);
  await account.openKept().decrypt(file.Hash);
  expect(account.count()).toBe(2);
});

test("a token that the nodes refuse is renewed without a signature", async () => {
  const account = await createKeptAccount();
  const [file] = await account.openKept().uploadTextEncrypted("hello", { name: "a.txt" });
  const [[keyNodes, jwt] = []] = account.kept;
  if (!keyNodes || !jwt) throw new Error("nothing is kept");
  const revoked = { ...jwt, token: "jwt:revoked" };
  account.kept.set(keyNodes, revoked);
  await account.openKept().decrypt(file.Hash);
  expect(account.count()).toBe(1);
  expect(account.kept.get(keyNodes)?.token).not.toBe(revoked.token);
});

test("nodes that fail are no reason to sign again", async () => {
  const account = await createKeptAccount();
  const kit = account.openKept();
  const [file] = await kit.uploadTextEncrypted("hello", { name: "a.txt" });
  const [[keyNodes, jwt] = []] = account.kept;
  if (!keyNodes || !jwt) throw new Error("nothing is kept");
  account.kept.set(keyNodes, { ...jwt, refreshAt: 0 });
  const removeFault = devnet().faults.add({
    service: "keyNodes",
    path: "/api/message/get-jwt",
    action: { kind: "respond", status: 503 },
  });
  await expect(account.openKept().decrypt(file.Hash)).rejects.toMatchObject({ code: "INVALID_SIGNATURE" });
  expect(account.count()).toBe(1);
  removeFault();
  await account.openKept().decrypt(file.Hash);
  expect(account.count()).toBe(1);
});

test("a token whose keeper refuses it is not used any more, by calls that have it either", async () => {
  const account = await createKeptAccount();
  const kit = account.openKept();
  const [file] = await kit.uploadTextEncrypted("hello", { name: "a.txt" });
  account.refuse(new Error("it is over"));
  await expect(kit.decrypt(file.Hash)).rejects.toThrow();
  expect(account.count()).toBe(1);
});

test("a call that is aborted while the wallet is asked takes no other call with it", async () => {
  const account = await createKeptAccount();
  const kit = account.openKept();
  const [file] = await account.openOther().uploadTextEncrypted("hello", { name: "a.txt" });
  const removeFault = devnet().faults.add({ service: "keyNodes", times: 1, action: { kind: "delay", ms: 300 } });
  const controller = new AbortController();
  const aborted = kit.decrypt(file.Hash, { signal: controller.signal });
  const other = kit.decrypt(file.Hash);
  setTimeout(() => controller.abort(), 50);
  await expect(aborted).rejects.toMatchObject({ code: "ABORTED" });
  expect(new TextDecoder().decode(await other)).toBe("hello");
  removeFault();
});

test("a refresh that outlives an aborted call is kept: no signature, and no other refresh", async () => {
  const network = await createSignInNetwork();
  const signer = createSigner();
  const kept: DatedJwt[] = [];
  const keeper: SignInKeeper = {
    assertUsable: () => undefined,
    async exchange(_, work) {
      const jwt = await work(kept.at(-1));
      kept.push(jwt);
      return jwt;
    },
  };
  const keptSigner = keepSignIn(signer, () => keeper);
  const share = (options: { signal?: AbortSignal } = {}) =>
    kavachShare(cid, {
      signer: keptSigner,
      endpoints: endpointsAt(network.url),
      pauseMs: 0,
      shareTo: address,
      ...options,
    });
  await share();
  network.valid.clear();
  const [refreshing, released] = [createGate(), createGate()];
  network.beforeRefreshed = () => {
    refreshing.reach();
    return released.reached;
  };
  const controller = new AbortController();
  const aborted = share({ signal: controller.signal });
  await refreshing.reached;
  controller.abort();
  await expect(aborted).rejects.toMatchObject({ code: "ABORTED" });
  expect(kept).toHaveLength(1);
  released.reach();
  await share();
  expect(kept).toHaveLength(2);
  expect(signer.signed).toHaveLength(1);
  expect(network.counts).toEqual({ messages: 1, signedIn: 1, refreshed: 1 });
});
