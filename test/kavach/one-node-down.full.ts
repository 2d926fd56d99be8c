import { Wallet } from "ethers";
import { expect, test } from "vitest";
import {
  decrypt,
  kavachInspect,
  kavachRecoverKey,
  kavachRecoverShards,
  kavachRepair,
  kavachRevoke,
  kavachSetAccessConditions,
  kavachShare,
  kavachTransferOwnership,
  type Pacing,
  UnfinishedError,
  uploadEncrypted,
} from "../../src/index.ts";
import { samples } from "../access-conditions/samples.ts";
import { account, devnetForTests, getApiKey } from "../support/devnet-wire.ts";
import { failure } from "../support/failure.ts";
import { pacings } from "../support/pacings.ts";

const RUNS_PER_NODE = 10;
const ALL = [1, 2, 3, 4, 5];
const devnet = devnetForTests();

type Unfinished = UnfinishedError<unknown, object>;
type Person = ReturnType<typeof people>[number];

/** Four people, each with one signer for all calls. */
function people(pacing: Pacing) {
  return [0, 1, 2, 3].map((n) => {
    const signer = new Wallet(account(devnet(), n).privateKey);
    const options = { signer, endpoints: devnet().endpoints, pacing, pauseMs: 0, retryMs: 0, attempts: 1 };
    return { address: signer.address.toLowerCase(), options };
  });
}

/** mulberry32 */
function createRandom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

async function canOpen({ options }: Person, cid: string): Promise<boolean> {
  try {
    const { shards } = await kavachRecoverShards(cid, options);
    return (await kavachRecoverKey(shards)).masterKey.length === 64;
  } catch {
    return false;
  }
}

async function expectAccess(cid: string, allowed: readonly Person[], denied: readonly Person[]): Promise<void> {
  for (const person of allowed) expect(await canOpen(person, cid)).toBe(true);
  for (const person of denied) expect(await canOpen(person, cid)).toBe(false);
}

/** Expects the call to complete on the nodes that are up, and its error to name the one that is not. */
async function expectUnfinished(call: Promise<unknown>, node: number): Promise<Unfinished> {
  const error = await failure(call);
  expect(error).toBeInstanceOf(UnfinishedError);
  expect(error.details).toMatchObject({
    nodesDone: ALL.filter((other) => other !== node),
    failures: [{ node, code: "NETWORK" }],
  });
  return error as Unfinished;
}

test.each(pacings.flatMap((pacing) => ALL.map((node) => [node, pacing] as const)))(
  "with node %d down, and pacing %s, every operation completes on the others: a revoked address never opens the file, a shared one does, nothing is lost",
  async (node, pacing) => {
    const [alice, bob, carol, dave] = people(pacing) as [Person, Person, Person, Person];
    const apiKey = await getApiKey(devnet(), account(devnet(), 0));
    const random = createRandom(node);
    for (let run = 0; run < RUNS_PER_NODE; run++) {
      const downAtUpload = random() < 0.5;
      const byResuming = random() < 0.5;
      const text = `${node} ${run} ${random()}`;

      if (downAtUpload) devnet().stopNode(node);
      const [file] = await uploadEncrypted(new File([text], "f.txt"), {
        ...alice.options,
        apiKey,
        shareTo: bob.address,
        saveOn: "enough",
      });
      const cid = file?.Hash ?? "";
      expect(file?.nodesMissing).toEqual(downAtUpload ? [node] : undefined);
      devnet().stopNode(node);
      await expectAccess(cid, [bob], []);

      const calls = [
        () => kavachShare(cid, { ...alice.options, shareTo: carol.address }),
        () => kavachRevoke(cid, { ...alice.options, revokeTo: bob.address }),
        () => kavachSetAccessConditions(cid, { ...alice.options, conditions: [samples.native] }),
        () => kavachTransferOwnership(cid, { ...alice.options, newOwner: dave.address, resetSharedTo: false }),
      ];
      const left: Unfinished[] = [];
      for (const call of calls) left.push(await expectUnfinished(call(), node));
      await expectAccess(cid, [dave, carol], [alice, bob]);
      await kavachRepair(cid, dave.options);

      devnet().startNode(node);
      await expectAccess(cid, [], [alice, bob]);
      if (downAtUpload) {
        // The node does not know the file: it receives a shard with the current sharing, and then the conditions.
        await kavachRepair(cid, dave.options);
        await kavachSetAccessConditions(cid, { ...dave.options, conditions: [samples.native] });
      } else {
        for (const [at, error] of left.entries()) {
          // All nodes but the one that was down now have another owner, who alone may call them.
          const again = byResuming || at < 3 ? error.resume() : calls[at]?.();
          expect(await again).toEqual({ nodes: ALL });
        }
      }

      expect(await kavachInspect(cid, dave.options)).toMatchObject({ healthy: true });
      const { nodes } = await kavachInspect(cid, bob.options);
      expect(nodes.map(({ state }) => state)).toEqual(ALL.map(() => "refused"));
      const bytes = await decrypt(cid, carol.options);
      expect(new TextDecoder().decode(bytes)).toBe(text);
    }
  },
  600_000,
);
