import { expect, test } from "vitest";
import { type Journal, KeeplightError, type OpenOperation } from "../../../src/index.ts";
import type { BoundKit } from "../src/bound-kit.ts";
import { createHeldOperations } from "../src/open-operations.ts";
import { createUnfinishedManager } from "../src/unfinished-manager.ts";

const noQueue = { continueQueued: () => Promise.reject(new Error("nothing is queued")) };

const toOperation = (id: string): OpenOperation => ({
  id,
  kind: "transfer",
  names: [],
  sizes: [],
  cids: [],
  nodesDone: [],
  startedAt: 1,
  updatedAt: 1,
});

/** A journal with these operations, whose completion ends as `resume` says. */
function openFake(ids: readonly string[], resume: (id: string, forget: () => void) => Promise<never>) {
  const open = new Set(ids);
  let lists = 0;
  const journal = {
    place: "fake",
    list: async () => {
      lists++;
      return Array.from(open, toOperation);
    },
    resume: (id: string) => resume(id, () => open.delete(id)),
    discard: async (id: string) => void open.delete(id),
  } as unknown as Journal;
  const held = createHeldOperations();
  const bound = { journal, resumeDefaults: {} } as BoundKit;
  const manager = createUnfinishedManager(journal, () => bound, { ...noQueue, held });
  return { manager, held, countLists: () => lists };
}

test("an operation that fails for good keeps its error until it is removed, and is not resumed again", async () => {
  let calls = 0;
  const { manager } = openFake(["a"], async (_, forget) => {
    calls++;
    forget();
    throw new KeeplightError("OPERATION_UNDONE", "undone", { details: { id: "a" } });
  });
  await manager.reload();
  expect(await manager.resume("a")).toBeUndefined();
  const state = { status: "failed", isOver: true, error: { code: "OPERATION_UNDONE" } };
  expect(manager.state().value).toMatchObject([{ id: "a", state }]);
  await manager.reload();
  expect(manager.state().value).toMatchObject([{ id: "a", state }]);
  expect([await manager.resume("a"), await manager.resumeAll()]).toEqual([undefined, []]);
  expect(calls).toBe(1);
  expect(await manager.discard("a")).toBe(true);
  expect(manager.state().value).toEqual([]);
});

test("what was completed elsewhere disappears without an error", async () => {
  const { manager } = openFake(["a"], async (_, forget) => {
    forget();
    throw new KeeplightError("JOURNAL_ENTRY_UNKNOWN", "unknown", { details: { id: "a" } });
  });
  await manager.reload();
  await manager.resume("a");
  expect(manager.state()).toEqual({ status: "ready", value: [] });
});

test("a thousand operations that are held one after another list the journal a few times", async () => {
  const ids = Array.from({ length: 1_000 }, (_, at) => String(at));
  const { manager, held, countLists } = openFake(ids, () => Promise.reject(new Error("unused")));
  const unsubscribe = manager.subscribe(() => undefined);
  await manager.reload();
  for (const id of ids) {
    held.hold(id);
    await undefined;
  }
  expect(manager.state().value).toEqual([]);
  await Promise.all(ids.map(() => manager.reload()));
  unsubscribe();
  expect(countLists()).toBeLessThan(10);
});

test("a payment that another tab has taken over since the list was read is not resumed here", async () => {
  const listed = { ...toOperation("a"), kind: "payment" as const };
  let worker: "elsewhere" | undefined;
  const journal = {
    place: "fake",
    list: async () => [worker ? { ...listed, worker } : listed],
  } as unknown as Journal;
  const bound = { journal, resumeDefaults: {} } as BoundKit;
  const manager = createUnfinishedManager(journal, () => bound, { ...noQueue, held: createHeldOperations() });
  await manager.reload();
  worker = "elsewhere";
  await manager.resume("a", { payment: { privateKey: "0x01" } });
  expect(manager.state().value).toMatchObject([{ state: { status: "failed", error: { code: "JOURNAL_ENTRY_BUSY" } } }]);
});

test("all operations are resumed one at a time, even if that is requested twice, and without a file that fails", async () => {
  let [running, most] = [0, 0];
  const { manager } = openFake(["a", "b", "c"], async (_, forget) => {
    most = Math.max(most, ++running);
    await new Promise((resolve) => setTimeout(resolve, 5));
    running--;
    forget();
    throw new KeeplightError("JOURNAL_ENTRY_UNKNOWN", "unknown", { details: { id: "a" } });
  });
  await manager.reload();
  const getSource = () => {
    throw new Error("the files are gone");
  };
  await Promise.all([manager.resumeAll({ getSource }), manager.resumeAll()]);
  expect(most).toBe(1);
  expect(manager.state().value).toEqual([]);
});

test("an upload whose payer fails says why, and the others are resumed", async () => {
  const paid = { ...toOperation("paid"), kind: "upload" as const, payPerUpload: { maxAmount: 5n } };
  const resumed: string[] = [];
  const journal = {
    place: "fake",
    list: async () => [paid, toOperation("free")],
    resume: async (id: string) => {
      resumed.push(id);
      return { id, kind: "transfer", result: {} };
    },
  } as unknown as Journal;
  const bound = { journal, resumeDefaults: {} } as BoundKit;
  const manager = createUnfinishedManager(journal, () => bound, { ...noQueue, held: createHeldOperations() });
  await manager.reload();
  const getUploadPayer = () => Promise.reject(new Error("the wallet is locked"));
  expect(await manager.resumeAll({ getUploadPayer })).toMatchObject([{ id: "free" }]);
  expect(resumed).toEqual(["free"]);
  expect(manager.state().value?.[0]).toMatchObject({
    id: "paid",
    state: { status: "failed", error: { message: "the wallet is locked" } },
  });
});
