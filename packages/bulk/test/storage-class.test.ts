import { afterEach, expect, test } from "vitest";
import { listFiles } from "../../../src/index.ts";
import { devnetForTests } from "../../../test/support/devnet-wire.ts";
import { failure } from "../../../test/support/failure.ts";
import { runBulk } from "../src/index.ts";
import { planDataset, planEncrypted } from "./rig.ts";

const devnet = devnetForTests({ storageLimits: { lifetime: 1_000_000 } });

afterEach(() => devnet().setDataLimit("lifetime", 1_000_000));

async function countFiles({ apiKey, endpoints }: { apiKey: string; endpoints: object }, storage: string) {
  return (await listFiles({ apiKey, endpoints, storage })).fileList.length;
}

test("the files of a plan are stored in the class of its uploads, encrypted or not", async () => {
  for (const prepared of [await planDataset(devnet(), 3), await planEncrypted(devnet(), 3)]) {
    const { plan, upload } = prepared;
    const before = await countFiles(upload, "lifetime");
    await runBulk(plan, { upload: { ...upload, storage: "lifetime" } });
    expect(await countFiles(upload, "lifetime")).toBeGreaterThan(before);
    expect(await countFiles(upload, "annual")).toBe(0);
  }
});

test("a plan ends where its class has no room, with nothing set aside, and goes on when there is some", async () => {
  for (const prepared of [await planDataset(devnet(), 3), await planEncrypted(devnet(), 3)]) {
    const { plan, upload } = prepared;
    devnet().setDataLimit("lifetime", 0);
    const options = { upload: { ...upload, storage: "lifetime" } };
    expect((await failure(runBulk(plan, options))).code).toBe("NO_ROOM");
    devnet().setDataLimit("lifetime", 1_000_000);
    expect(await runBulk(plan, options)).toMatchObject({ filesDone: 3, setAside: 0 });
  }
});
