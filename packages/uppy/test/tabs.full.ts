import { decrypt } from "keeplight";
import { afterAll, beforeAll, expect, test } from "vitest";
import { bytesOf, type PageFile } from "./page-code.ts";
import { openPageRig, type PageRig } from "./page-rig.ts";

let rig: PageRig;

beforeAll(async () => {
  rig = await openPageRig();
}, 600_000);

afterAll(() => rig?.close());

/** Waits until the server has received so many chunks from now on. */
async function untilChunks(count: number): Promise<void> {
  const before = rig.server.listRequests().length;
  const chunks = () =>
    rig.server
      .listRequests()
      .slice(before)
      .filter(({ method }) => method === "PATCH").length;
  await expect.poll(chunks, { interval: 5 }).toBeGreaterThanOrEqual(count);
}

async function read(cid: string): Promise<Buffer> {
  return Buffer.from(await decrypt(cid, { signer: rig.signer, endpoints: rig.setup.endpoints, pauseMs: 0 }));
}

test("of two tabs one uploads a file, the other one fails; once a tab is closed, another one continues", async () => {
  const file: PageFile = { name: "tabs.bin", size: 2_000_000, version: 0 };
  rig.server.setLatency(100);
  const [first, second] = [await rig.openTab(), await rig.openTab()];
  const uploading = rig.runIn(first, "upload", rig.setup, [file]).catch(() => undefined);
  await untilChunks(2);
  await rig.runIn(second, "upload", rig.setup, [file]);
  expect(rig.takeEvents()).toMatchObject([{ error: expect.stringContaining("Another page uploads tabs.bin") }]);
  await first.close();
  await uploading;
  rig.server.setLatency(0);
  await rig.runIn(second, "upload", rig.setup, [file]);
  const [{ cid = "" } = {}] = rig.takeEvents();
  expect((await read(cid)).equals(bytesOf(file))).toBe(true);
  expect(await rig.server.listStored(file.name)).toEqual([cid]);
  expect(rig.server.listRequests().filter(({ method }) => method === "POST")).toHaveLength(1);
  await second.close();
});

test("an upload waits while the browser is offline, and continues when it is back", async () => {
  const file: PageFile = { name: "offline.bin", size: 2_000_000, version: 0 };
  rig.server.setLatency(50);
  const uploading = rig.upload([file]);
  await untilChunks(3);
  await rig.context().setOffline(true);
  // For longer than all retries together.
  const delays = rig.setup.retryDelays.reduce((sum, delay) => sum + delay, 0);
  await new Promise((resolve) => setTimeout(resolve, delays + 3_000));
  expect(rig.takeEvents()).toEqual([]);
  await rig.context().setOffline(false);
  await uploading;
  rig.server.setLatency(0);
  const [{ cid = "" } = {}] = rig.takeEvents();
  expect((await read(cid)).equals(bytesOf(file))).toBe(true);
  expect(await rig.server.listStored(file.name)).toEqual([cid]);
  expect(rig.server.listReused()).toEqual([]);
});
