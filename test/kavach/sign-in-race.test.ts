import { Wallet } from "ethers";
import { expect, onTestFinished, test, vi } from "vitest";
import { kavachGenerate, kavachRecoverShards, kavachSaveShards, kavachShare, type Signer } from "../../src/index.ts";
import { account, devnetForTests } from "../support/devnet-wire.ts";
import { eventually } from "../support/eventually.ts";
import { failure } from "../support/failure.ts";
import { cid } from "../support/fixtures.ts";
import { forgetShared } from "../support/forget-shared.ts";
import { createGate } from "../support/gate.ts";
import { endpointsAt } from "../support/http-server.ts";
import { createSigner, createSignInNetwork } from "../support/net-sign-in.ts";
import { as, saveKey } from "./saved-keys.ts";

const devnet = devnetForTests();
const quick = { pauseMs: 0, retryMs: 20 };
const otherCid = "bafkreigh2akiscaildcqabsyg3dfr6chu3fgpregiymsck7e7aqa4s52zy";
const friend = "0x00000000000000000000000000000000000000bb";
const ALL = { nodes: [1, 2, 3, 4, 5] };

/** Counts sign-ins at the devnet since `from`. */
function countSignIns(from: number): number {
  const isSignIn = ({ method, path }: { method: string; path: string }) =>
    method === "POST" && path === "/api/message/get-jwt";
  return devnet().requests().slice(from).filter(isSignIn).length;
}

test("64 concurrent signer objects of one key sign in with one signature exchange", async () => {
  const { endpoints } = devnet();
  const { privateKey } = account(devnet(), 1);
  const { keyShards } = await kavachGenerate();
  const from = devnet().requests().length;
  const calls = Array.from({ length: 64 }, () =>
    kavachSaveShards(cid, { ...quick, endpoints, signer: new Wallet(privateKey), keyShards }),
  );
  expect(await Promise.all(calls)).toEqual(calls.map(() => ALL));
  expect(countSignIns(from)).toBe(1);
});

test("concurrent sign-ins of several processes with one key all succeed", async () => {
  const { cid } = await saveKey(devnet());
  const { endpoints } = devnet();
  const { privateKey } = account(devnet(), 0);
  // Each copy of the kit has its own memory, as a process has.
  const copies: (typeof kavachShare)[] = [];
  for (let copy = 0; copy < 4; copy++) {
    vi.resetModules();
    forgetShared();
    copies.push((await import("../../src/keys/access/share.ts")).kavachShare);
  }
  expect(new Set(copies).size).toBe(4);
  const calls = copies.flatMap((share) =>
    Array.from({ length: 8 }, () =>
      share(cid, { ...quick, endpoints, signer: new Wallet(privateKey), shareTo: friend }),
    ),
  );
  expect(await Promise.all(calls)).toEqual(calls.map(() => ALL));
});

test("a signer that claims another's address cannot use their session", async () => {
  const { cid } = await saveKey(devnet());
  await kavachShare(cid, { ...as(devnet(), 0), shareTo: friend });
  const thief = Wallet.createRandom();
  const signer: Signer = {
    getAddress: () => account(devnet(), 0).address,
    signMessage: (message) => thief.signMessage(message),
  };
  const from = devnet().requests().length;
  const error = await failure(kavachShare(cid, { ...as(devnet(), 0), signer, shareTo: thief.address }));
  expect(error.code).toBe("INVALID_SIGNATURE");
  const paths = devnet().requests().slice(from);
  expect(paths.filter(({ path }) => path.startsWith("/api/setSharedKey"))).toEqual([]);
  // It does not end the session of the address's owner either.
  await kavachShare(cid, { ...as(devnet(), 0), shareTo: friend });
});

test("a signer that claims an address cannot use the sign-in of its owner that it waits for", async () => {
  const { address, privateKey } = account(devnet(), 3);
  const { cid } = await saveKey(devnet(), { shareTo: [address] });
  const wallet = new Wallet(privateKey);
  const asked = createGate();
  const decided = createGate();
  const owner = createSigner(address, async (message) => {
    asked.reach();
    await decided.reached;
    return wallet.signMessage(message);
  });
  const options = { ...quick, endpoints: devnet().endpoints };
  const opened = kavachRecoverShards(cid, { ...options, signer: owner });
  await asked.reached;
  const thief = Wallet.createRandom();
  const named = createGate();
  const getAddress = () => {
    named.reach();
    return address;
  };
  const signer: Signer = { getAddress, signMessage: (message) => thief.signMessage(message) };
  // At once, all requests have the token that is there first.
  const stolen = failure(kavachRecoverShards(cid, { ...options, pacing: "parallel", signer }));
  await named.reached;
  // All that is left to do before it waits for the other sign-in are microtasks.
  await new Promise(setImmediate);
  decided.reach();
  expect((await stolen).code).toBe("INVALID_SIGNATURE");
  expect((await opened).shards).toHaveLength(3);
});

test("signers whose signatures differ each time sign in one after another", async () => {
  const network = await createSignInNetwork();
  const signers = Array.from({ length: 12 }, () => createSigner(undefined, async () => `0x${Math.random()}`));
  const options = { ...quick, endpoints: endpointsAt(network.url), shareTo: friend };
  await Promise.all(signers.map((signer) => kavachShare(cid, { ...options, signer })));
  expect(network.counts.signedIn).toBe(12);
  const signIns = network.requests.filter(({ path }) => path.startsWith("/api/message/"));
  const order = signIns.map(({ method }) => method);
  expect(order).toEqual(signers.flatMap(() => ["GET", "POST"]));
});

test("the same signer signs once for all calls though its signatures differ", async () => {
  const network = await createSignInNetwork();
  const signer = createSigner(undefined, async () => `0x${Math.random()}`);
  const options = { ...quick, endpoints: endpointsAt(network.url), shareTo: friend };
  await Promise.all([1, 2, 3].map(() => kavachShare(cid, { ...options, signer })));
  await kavachShare(cid, { ...options, signer });
  expect(signer.signed).toHaveLength(1);
});

test("a wallet that never responds does not keep another signer of its address out", async () => {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"], shouldAdvanceTime: true });
  onTestFinished(() => void vi.useRealTimers());
  const network = await createSignInNetwork();
  const options = { ...quick, endpoints: endpointsAt(network.url), shareTo: friend };
  const ignored = createSigner(undefined, () => new Promise(() => undefined));
  const controller = new AbortController();
  const first = failure(kavachShare(cid, { ...options, signer: ignored, signal: controller.signal }));
  await eventually(() => expect(ignored.signed).toHaveLength(1));
  const signer = createSigner();
  // For another file, as calls on one file run in order.
  const second = kavachShare(otherCid, { ...options, signer });
  await vi.advanceTimersByTimeAsync(10_000);
  expect(await second).toEqual(ALL);
  controller.abort();
  expect(await first).toMatchObject({ code: "ABORTED" });
});
