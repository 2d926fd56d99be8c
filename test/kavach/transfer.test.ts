import { describe, expect, test } from "vitest";
import type { Devnet } from "../../packages/devnet/src/index.ts";
import {
  kavachGetAccessConditions,
  kavachInspect,
  kavachRepair,
  kavachTransferOwnership,
  type UnfinishedError,
} from "../../src/index.ts";
import { account, devnetForTests, getJwt, send } from "../support/devnet-wire.ts";
import { failure } from "../support/failure.ts";
import { pacings } from "../support/pacings.ts";
import { as as asWallet, saveKey } from "./saved-keys.ts";

const ALL = [1, 2, 3, 4, 5];
const devnet = devnetForTests();
const address = (n: number) => account(devnet(), n).address;

/** Transfers a file of wallet 0 to wallet 1 on these nodes only, as if the process had ended early. */
async function transferPartly(nodes: readonly number[]): Promise<string> {
  const { cid } = await saveKey(devnet());
  const { token } = await getJwt(devnet(), account(devnet(), 0));
  for (const node of nodes) {
    const url = `${devnet().endpoints.keyNodes}/api/transferOwnership/${node}`;
    const body = { address: address(0), cid, newOwner: address(1), resetSharedTo: true };
    expect((await send("POST", url, body, token)).status).toBe(200);
  }
  return cid;
}

describe.each(pacings)("pacing: %s", (pacing) => {
  const as = (network: Devnet, n: number) => ({ ...asWallet(network, n), pacing });

  /** Expects all five nodes to treat wallet `n` as the owner. */
  async function expectOwner(cid: string, n: number): Promise<void> {
    expect(await kavachTransferOwnership(cid, { ...as(devnet(), n), newOwner: address(n) })).toEqual({ nodes: ALL });
    expect(await kavachInspect(cid, as(devnet(), n))).toMatchObject({ healthy: true, access: { owner: address(n) } });
  }

  const halves = [[1], [1, 2], [1, 2, 3], [1, 2, 3, 4], [5], [2, 4], [2, 3, 4, 5]].map((nodes) => ({ nodes }));

  test.each(halves)(
    "the old owner completes a transfer that reached nodes $nodes by calling again",
    async ({ nodes }) => {
      const cid = await transferPartly(nodes);
      expect(await kavachTransferOwnership(cid, { ...as(devnet(), 0), newOwner: address(1) })).toEqual({ nodes: ALL });
      await expectOwner(cid, 1);
    },
  );

  test.each(halves)(
    "the new owner undoes a transfer that reached nodes $nodes by transferring it back",
    async ({ nodes }) => {
      const cid = await transferPartly(nodes);
      expect(await kavachTransferOwnership(cid, { ...as(devnet(), 1), newOwner: address(0) })).toEqual({ nodes: ALL });
      await expectOwner(cid, 0);
    },
  );

  test("a complete transfer can be called again", async () => {
    const cid = await transferPartly(ALL);
    expect(await kavachTransferOwnership(cid, { ...as(devnet(), 0), newOwner: address(1) })).toEqual({ nodes: ALL });
  });

  test("the error of a new owner who transfers to themselves names the nodes with another owner", async () => {
    const cid = await transferPartly([1, 2]);
    const error = await failure(kavachTransferOwnership(cid, { ...as(devnet(), 1), newOwner: address(1) }));
    expect(error).toMatchObject({
      code: "NOT_OWNER",
      message:
        "The file has another owner on nodes 3, 4, 5: the previous owner has to transfer it again, or transfer it back to them",
      details: { nodesDone: [1, 2], failures: [{ node: 3 }, { node: 4 }, { node: 5 }] },
    });
    await kavachTransferOwnership(cid, { ...as(devnet(), 0), newOwner: address(1) });
    await (error as UnfinishedError<unknown, object>).resume();
    await expectOwner(cid, 1);
  });

  test("only the owner can transfer a file", async () => {
    const { cid } = await saveKey(devnet());
    for (const newOwner of [address(2), address(3)]) {
      const error = await failure(kavachTransferOwnership(cid, { ...as(devnet(), 2), newOwner }));
      expect(error).toMatchObject({ code: "NODE_REFUSED", details: { nodesDone: [] } });
    }
    await expectOwner(cid, 0);
  });

  test("a node that is too busy once does not count as transferred", async () => {
    const { cid } = await saveKey(devnet());
    const busy = { kind: "respond", status: 429, json: { message: "Too many requests" } } as const;
    const path = "/api/transferOwnership";
    devnet().faults.add({ service: "keyNodes", node: 3, path, times: 1, action: busy });
    const error = await failure(kavachTransferOwnership(cid, { ...as(devnet(), 0), newOwner: address(1) }));
    expect(error).toMatchObject({ message: "Too many requests", details: { node: 3, nodesDone: [1, 2, 4, 5] } });
    expect(await (error as UnfinishedError<unknown, object>).resume()).toEqual({ nodes: ALL });
    await expectOwner(cid, 1);
  });

  test("a node that denies it once and still accepts the old owner does not count as transferred", async () => {
    const { cid } = await saveKey(devnet());
    const denial = { kind: "respond", status: 403, json: { message: "Access Denied" } } as const;
    const path = "/api/transferOwnership";
    devnet().faults.add({ service: "keyNodes", node: 3, path, times: 1, action: denial });
    const error = await failure(kavachTransferOwnership(cid, { ...as(devnet(), 0), newOwner: address(1) }));
    expect(error).toMatchObject({ code: "NODE_REFUSED", details: { nodesDone: [1, 2, 4, 5] } });
    await (error as UnfinishedError<unknown, object>).resume();
    await expectOwner(cid, 1);
  });

  const notTransferred = {
    "responds with nonsense": { kind: "respond", status: 200, json: { message: "maintenance" } },
    "denies it though the file still belongs to the old owner": {
      kind: "respond",
      status: 403,
      json: { message: "Forbidden" },
    },
  } as const;

  test.each(Object.entries(notTransferred))(
    "a node that %s does not count as transferred, however often the transfer is resumed or called again",
    async (_, action) => {
      const { cid } = await saveKey(devnet());
      const transfer = () => kavachTransferOwnership(cid, { ...as(devnet(), 0), newOwner: address(1) });
      const mend = devnet().faults.add({ service: "keyNodes", node: 3, path: "/api/transferOwnership", action });
      const first = await failure(transfer());
      const resumed = await failure((first as UnfinishedError<unknown, object>).resume());
      const again = await failure(transfer());
      mend();
      for (const { details } of [first, resumed, again]) {
        expect(details).toMatchObject({ nodesDone: [1, 2, 4, 5], failures: [{ node: 3, code: "NODE_REFUSED" }] });
      }
      expect(await (again as UnfinishedError<unknown, object>).resume()).toEqual({ nodes: ALL });
      await expectOwner(cid, 1);
    },
  );

  test("a node without the file does not count as transferred, even if the old owner may open the file", async () => {
    const { cid } = await saveKey(devnet(), { lost: [1], shareTo: [address(0)] });
    const options = { ...as(devnet(), 0), newOwner: address(1), resetSharedTo: false };
    const first = await failure(kavachTransferOwnership(cid, options));
    const resume = () => (first as UnfinishedError<unknown, object>).resume();
    expect(await failure(resume())).toMatchObject({ details: { nodesDone: [2, 3, 4, 5], failures: [{ node: 1 }] } });
    await kavachRepair(cid, as(devnet(), 1));
    expect(await resume()).toEqual({ nodes: ALL });
    await expectOwner(cid, 1);
  });

  test("a refusal stays a refusal if the network does not name the owner", async () => {
    const cid = await transferPartly([1]);
    const path = "/api/fileAccessConditions/get";
    const mend = devnet().faults.add({ service: "keyNodes", path, action: { kind: "respond", status: 500, text: "" } });
    const error = await failure(kavachTransferOwnership(cid, { ...as(devnet(), 0), newOwner: address(1) }));
    mend();
    expect(error).toMatchObject({ code: "NODE_REFUSED", details: { nodesDone: [2, 3, 4, 5] } });
    expect(await (error as UnfinishedError<unknown, object>).resume()).toEqual({ nodes: ALL });
    expect(await kavachGetAccessConditions(cid, { endpoints: devnet().endpoints })).toMatchObject({
      owner: address(1),
    });
  });
});
