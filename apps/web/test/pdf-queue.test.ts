import { describe, expect, test } from "vitest";
import { createPdfQueue } from "../src/thumbnails/pdf-queue.ts";

const file = new Blob(["%PDF-"]);

/** A queue whose drawings end when the test ends them. */
function createRig() {
  const shown = new Set<string>();
  const drawn: string[] = [];
  const running: { cid: string; signal: AbortSignal; end: () => void; fail: () => void }[] = [];
  const queue = createPdfQueue({
    isShown: (cid) => shown.has(cid),
    draw(cid, _, signal) {
      drawn.push(cid);
      return new Promise<void>((resolve, reject) => {
        const remove = () =>
          running.splice(
            running.findIndex((each) => each.cid === cid),
            1,
          );
        const end = () => {
          remove();
          resolve();
        };
        const fail = () => {
          remove();
          reject(new Error("damaged"));
        };
        running.push({ cid, signal, end, fail });
        signal.addEventListener("abort", fail);
      });
    },
  });
  const settle = () => new Promise((resolve) => setTimeout(resolve));
  return {
    queue,
    drawn,
    running,
    settle,
    async show(cid: string) {
      shown.add(cid);
      queue.show(cid);
      await settle();
    },
    async hide(cid: string) {
      shown.delete(cid);
      queue.hide(cid);
      await settle();
    },
    async add(...cids: string[]) {
      for (const cid of cids) queue.add(cid, file);
      await settle();
    },
  };
}

describe("the queue of PDFs", () => {
  test("draws a file once it is shown, not before, and once", async () => {
    const { add, show, hide, drawn, running, settle } = createRig();
    await add("a");
    expect(drawn).toEqual([]);
    await show("a");
    expect(drawn).toEqual(["a"]);
    running[0]?.end();
    await settle();
    await hide("a");
    await show("a");
    expect(drawn).toEqual(["a"]);
  });

  test("draws one at a time, also after a failure, and does not repeat what failed", async () => {
    const { add, show, hide, drawn, running, settle } = createRig();
    await show("a");
    await show("b");
    await add("a", "b");
    expect(drawn).toEqual(["a"]);
    running[0]?.fail();
    await settle();
    expect(drawn).toEqual(["a", "b"]);
    await hide("a");
    await show("a");
    running[0]?.end();
    await settle();
    expect(drawn).toEqual(["a", "b"]);
  });

  test("ends the drawing of a file that is hidden, and starts it again when it is shown", async () => {
    const { add, show, hide, drawn, running } = createRig();
    await show("a");
    await add("a");
    const { signal } = running[0] ?? {};
    await hide("a");
    expect(signal?.aborted).toBe(true);
    expect(running).toEqual([]);
    await show("a");
    expect(drawn).toEqual(["a", "a"]);
  });

  test("starts again a drawing that was hidden and shown at once", async () => {
    const { add, show, hide, drawn } = createRig();
    await show("a");
    await add("a");
    await Promise.all([hide("a"), show("a")]);
    expect(drawn).toEqual(["a", "a"]);
  });

  test("skips a file that was hidden while others were drawn, until it is shown", async () => {
    const { add, show, hide, drawn, running, settle } = createRig();
    await show("a");
    await show("b");
    await add("a", "b");
    await hide("b");
    running[0]?.end();
    await settle();
    expect(drawn).toEqual(["a"]);
    await show("b");
    expect(drawn).toEqual(["a", "b"]);
  });

  test("draws nothing more once it is closed", async () => {
    const { add, show, queue, drawn, running, settle } = createRig();
    await show("a");
    await show("b");
    await add("a", "b", "c");
    queue.close();
    await settle();
    await show("c");
    await add("b");
    expect(running).toEqual([]);
    expect(drawn).toEqual(["a"]);
  });

  test("lets no more than 2,000 files wait: the oldest is not drawn", async () => {
    const { add, show, drawn, running, settle } = createRig();
    await add(...Array.from({ length: 2_001 }, (_, at) => `${at}`));
    await show("0");
    await show("1");
    expect(drawn).toEqual(["1"]);
    running[0]?.end();
    await settle();
  });
});
