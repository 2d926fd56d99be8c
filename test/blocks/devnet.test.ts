import { expect, test } from "vitest";
import { openEncrypted, openFile, upload, uploadEncrypted } from "../../src/index.ts";
import { as } from "../kavach/saved-keys.ts";
import { account, devnetForTests, getApiKey } from "../support/devnet-wire.ts";
import { makeBytes } from "./trees.ts";

const devnet = devnetForTests({ gateways: 3 });
const content = makeBytes(700_000);

test("what was uploaded is read in parts, from one gateway or several", async () => {
  const { endpoints, gateways } = devnet();
  const apiKey = await getApiKey(devnet(), account(devnet(), 0));
  const files = [new File([content], "a.bin"), new File(["text"], "b.txt")];
  for (const cidVersion of [0, 1] as const) {
    const [root] = await upload(files, { apiKey, endpoints, cidVersion, wrapWithDirectory: true });
    const file = await openFile(root?.Hash ?? "", { path: "a.bin", endpoints: { ...endpoints, gateway: gateways } });
    expect(Buffer.compare(await file.read(262_000, 600_000), content.subarray(262_000, 600_000))).toBe(0);
    expect(file.gateways().map(({ failed }) => failed)).toEqual([0, 0, 0]);
  }
});

test("an encrypted upload is read in parts", async () => {
  const { endpoints } = devnet();
  const apiKey = await getApiKey(devnet(), account(devnet(), 0));
  const owner = { ...as(devnet(), 0), pauseMs: 0 };
  const [stored] = await uploadEncrypted(new File([content], "secret.bin"), { ...owner, apiKey, endpoints });
  const file = await openEncrypted(stored.Hash, { ...owner, endpoints });
  expect(Buffer.compare(await file.read(1, 500_001), content.subarray(1, 500_001))).toBe(0);
});
