import { Wallet } from "ethers";
import { describe, expect, test } from "vitest";
import {
  kavachGenerate,
  kavachRecoverShards,
  kavachRepair,
  kavachRevoke,
  kavachSaveShards,
  kavachSetAccessConditions,
  kavachSetDelegates,
  kavachShare,
  kavachTransferOwnership,
  UnfinishedError,
  uploadEncrypted,
  uploadTextEncrypted,
} from "../../src/index.ts";
import { samples } from "../access-conditions/samples.ts";
import { account, devnetForTests, getApiKey } from "../support/devnet-wire.ts";
import { createUnreadableError, failure } from "../support/failure.ts";
import { pacings } from "../support/pacings.ts";
import { as, saveKey } from "./saved-keys.ts";

const devnet = devnetForTests();
describe.each(pacings)("pacing: %s", (pacing) => {
  const owner = () => {
    const { signer, ...options } = as(devnet(), 0);
    return {
      ...options,
      pacing,
      signer: { getAddress: () => signer.address, signMessage: (text: string) => sign(signer, text) },
    };
  };
  /** How the owner's wallet signs. */
  let sign = (signer: Wallet, text: string) => signer.signMessage(text);
  const friend = () => account(devnet(), 1).address.toLowerCase();
  const condition = samples.native;

  /** One call to all five nodes, and the request that each of them receives. */
  interface Operation {
    /** Prepares the network, and returns the call. */
    prepare(): Promise<() => Promise<unknown>>;
    method: string;
    path: string;
    /** Nodes that the call is for. Default all. */
    nodes?: readonly number[];
    /** Whether the nodes after a failed one are called. Default false. */
    continues?: boolean;
  }

  const createUploadOptions = async () => ({ ...owner(), apiKey: await getApiKey(devnet(), account(devnet(), 0)) });
  const saveKeyCid = async (more = {}) => (await saveKey(devnet(), more)).cid;

  const operations: Record<string, Operation> = {
    kavachSaveShards: {
      prepare: async () => {
        const [cid, { keyShards }] = [await saveKeyCid(), await kavachGenerate()];
        return () => kavachSaveShards(cid, { ...owner(), keyShards });
      },
      method: "POST",
      path: "/api/setSharedKey",
    },
    kavachShare: {
      prepare: async () => {
        const cid = await saveKeyCid();
        return () => kavachShare(cid, { ...owner(), shareTo: friend() });
      },
      method: "PUT",
      path: "/api/setSharedKey",
      continues: true,
    },
    kavachRevoke: {
      prepare: async () => {
        const cid = await saveKeyCid({ shareTo: [friend()] });
        return () => kavachRevoke(cid, { ...owner(), revokeTo: friend() });
      },
      method: "DELETE",
      path: "/api/setSharedKey",
      continues: true,
    },
    kavachTransferOwnership: {
      prepare: async () => {
        const cid = await saveKeyCid();
        return () => kavachTransferOwnership(cid, { ...owner(), newOwner: friend() });
      },
      method: "POST",
      path: "/api/transferOwnership",
      continues: true,
    },
    kavachSetDelegates: {
      prepare: async () => () => kavachSetDelegates(friend(), owner()),
      method: "POST",
      path: "/api/setAllFilesAccess",
      continues: true,
    },
    "kavachSetAccessConditions with shards": {
      prepare: async () => {
        const [cid, { keyShards }] = [await saveKeyCid(), await kavachGenerate()];
        return () => kavachSetAccessConditions(cid, { ...owner(), conditions: [condition], keyShards });
      },
      method: "POST",
      path: "/api/fileAccessConditions",
    },
    "kavachSetAccessConditions without shards": {
      prepare: async () => {
        const cid = await saveKeyCid();
        return () => kavachSetAccessConditions(cid, { ...owner(), conditions: [condition] });
      },
      method: "PUT",
      path: "/api/fileAccessConditions",
      continues: true,
    },
    uploadEncrypted: {
      prepare: async () => {
        const options = await createUploadOptions();
        return () => uploadEncrypted(Uint8Array.of(1), { ...options, shareTo: friend() });
      },
      method: "POST",
      path: "/api/setSharedKey",
    },
    "uploadEncrypted under conditions": {
      prepare: async () => {
        const options = await createUploadOptions();
        return () => uploadEncrypted(Uint8Array.of(1), { ...options, conditions: [condition] });
      },
      method: "POST",
      path: "/api/fileAccessConditions",
    },
    uploadTextEncrypted: {
      prepare: async () => {
        const options = await createUploadOptions();
        return () => uploadTextEncrypted("text", options);
      },
      method: "POST",
      path: "/api/setSharedKey",
    },
    kavachRepair: {
      prepare: async () => {
        const cid = await saveKeyCid({ lost: [2, 4] });
        return () => kavachRepair(cid, owner());
      },
      method: "POST",
      path: "/api/setSharedKey",
      nodes: [2, 4],
    },
  };

  /** Lists the nodes that received this request since `from`: in order, unless they are called at once. */
  function listCalled({ method, path }: Operation, from: number): number[] {
    const called = devnet()
      .requests()
      .slice(from)
      .filter((request) => request.method === method && new RegExp(`^${path}/[1-5]$`).test(request.path))
      .map((request) => Number(request.path.at(-1)));
    return pacing === "parallel" ? called.sort() : called;
  }

  test.each(Object.entries(operations))(
    "%s that fails at a node lists the nodes that are done, and resume() calls the others, as often as needed",
    async (_, operation) => {
      const { prepare, method, path, nodes = [1, 2, 3, 4, 5], continues = false } = operation;
      const call = await prepare();
      const called = continues || pacing === "parallel" ? nodes : nodes.filter((node) => node <= 4);
      const done = called.filter((node) => node !== 4);
      const action = { kind: "respond", status: 500, json: { message: "down for repairs" } } as const;
      devnet().faults.add({ service: "keyNodes", node: 4, method, path, times: 2, action });

      let from = devnet().requests().length;
      const first = await failure(call());
      expect(first).toBeInstanceOf(UnfinishedError);
      expect(listCalled(operation, from)).toEqual(called);
      expect(first.details).toMatchObject({ node: 4 });
      expect(getNodesDone(first.details)).toEqual(done);
      expect(JSON.stringify(first)).not.toMatch(/[0-9a-f]{64}/);

      from = devnet().requests().length;
      const second = await failure((first as UnfinishedError<unknown, object>).resume());
      expect(second).toMatchObject({ code: first.code, message: first.message, details: first.details });
      const result = await (second as UnfinishedError<unknown, object>).resume({ pauseMs: 0 });
      expect(listCalled(operation, from)).toEqual([4, ...nodes.filter((node) => !done.includes(node))].sort());
      expect(result).toBeTruthy();
    },
  );

  /** Returns the nodes that an error lists as done: those of the call, or of the one file of an upload. */
  function getNodesDone(details: Readonly<Record<string, unknown>>): unknown {
    const { nodesDone, unfinished } = details as { nodesDone?: number[]; unfinished?: { nodesDone: number[] }[] };
    return nodesDone ?? unfinished?.[0]?.nodesDone;
  }

  test.each(Object.entries(operations))(
    "%s that is resumed with a signal that has fired, or by a wallet that cannot be opened, can be resumed again",
    async (_, { prepare, method, path, nodes = [1, 2, 3, 4, 5] }) => {
      const call = await prepare();
      const action = { kind: "respond", status: 500, json: { message: "down for repairs" } } as const;
      devnet().faults.add({ service: "keyNodes", node: 4, method, path, times: 1, action });
      const first = (await failure(call())) as UnfinishedError<unknown, object>;

      const aborted = await failure(first.resume({ signal: AbortSignal.abort() }));
      expect(aborted).toBeInstanceOf(UnfinishedError);
      expect(aborted.code).toBe("ABORTED");
      const closed = { getAddress: () => Promise.reject(new Error("closed")), signMessage: async () => "0x" };
      const rejected = await failure((aborted as UnfinishedError<unknown, object>).resume({ signer: closed }));
      expect(rejected).toBeInstanceOf(UnfinishedError);
      expect(rejected.code).toBe("SIGNATURE_REJECTED");
      const unreadable = { ...closed, getAddress: () => Promise.reject(createUnreadableError()) };
      const unknown = await failure((first as UnfinishedError<unknown, object>).resume({ signer: unreadable }));
      expect(unknown).toMatchObject({ name: "UnfinishedError", code: first.code, message: first.message });
      expect(unknown.cause).toBeInstanceOf(TypeError);
      for (const { details } of [aborted, rejected, unknown])
        expect(getNodesDone(details)).toEqual(getNodesDone(first.details));

      const from = devnet().requests().length;
      expect(await (rejected as UnfinishedError<unknown, object>).resume()).toBeTruthy();
      const done = getNodesDone(first.details) as number[];
      expect(listCalled({ prepare, method, path }, from)).toEqual(nodes.filter((node) => !done.includes(node)));
    },
  );

  test.each(Object.entries(operations))(
    "%s whose wallet throws something unreadable when it has to sign in again keeps everything, and can be resumed",
    async (_, operation) => {
      const { prepare, method, path, nodes = [1, 2, 3, 4, 5] } = operation;
      const call = await prepare();
      const from = devnet().requests().length;
      const expired = { kind: "respond", status: 401, json: { message: "Invalid Signature" } } as const;
      const refused = { kind: "respond", status: 400, json: { message: "Invalid Signature" } } as const;
      devnet().faults.add({ service: "keyNodes", node: 4, method, path, times: 1, action: expired });
      devnet().faults.add({
        service: "keyNodes",
        method: "PUT",
        path: "/api/message/get-jwt",
        times: 1,
        action: refused,
      });
      const signNormally = sign;
      sign = (signer, text) =>
        listCalled(operation, from).includes(4) ? Promise.reject(createUnreadableError()) : signNormally(signer, text);
      const error = await failure(call()).finally(() => {
        sign = signNormally;
      });

      expect(error).toBeInstanceOf(UnfinishedError);
      expect(error.code).toBe("nodesDone" in error.details ? "ABORTED" : "SHARDS_NOT_SAVED");
      expect([error.cause, (error.cause as Error).cause]).toContainEqual(expect.any(TypeError));
      const done = nodes.filter((node) => (pacing === "parallel" ? node !== 4 : node < 4));
      expect(getNodesDone(error.details)).toEqual(done);
      const again = devnet().requests().length;
      expect(await (error as UnfinishedError<unknown, object>).resume()).toBeTruthy();
      expect(listCalled(operation, again)).toEqual(nodes.filter((node) => !done.includes(node)));
    },
  );

  test("only its owner can open a resumed upload with conditions", async () => {
    const options = await createUploadOptions();
    const action = { kind: "reset" } as const;
    // A reset of a connection that was used before is tried once more.
    devnet().faults.add({ service: "keyNodes", node: 2, path: "/api/fileAccessConditions", times: 2, action });
    const upload = uploadEncrypted(Uint8Array.of(1), { ...options, conditions: [condition], attempts: 1 });
    const error = await failure(upload);
    expect(error).toMatchObject({ code: "SHARDS_NOT_SAVED", message: "Error encrypting file" });
    const [file] = (await (error as UnfinishedError<{ Hash: string }[], object>).resume()) ?? [];
    const { shards } = await kavachRecoverShards(file?.Hash ?? "", { ...owner(), count: 5 });
    expect(shards.map(({ node }) => node).sort()).toEqual([1, 2, 3, 4, 5]);
    const stranger = { ...owner(), signer: Wallet.createRandom() };
    expect((await failure(kavachRecoverShards(file?.Hash ?? "", stranger))).message).toBe("Access Denied");
  });
});
