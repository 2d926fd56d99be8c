import { randomBytes } from "node:crypto";
import { join } from "node:path";
import { expect, test } from "vitest";
import { createRecoveryIdentity, iterateFiles, uploadEncrypted } from "../../../src/index.ts";
import { as } from "../../../test/kavach/saved-keys.ts";
import { account, devnetForTests, getApiKey } from "../../../test/support/devnet-wire.ts";
import { ensureRecoveryTools } from "../../../test/support/external-tools.mjs";
import { scratch } from "../../../test/support/files.ts";
import { makeRecoveryKit } from "../src/index.ts";
import { openWithoutKeeplight } from "./without-keeplight.ts";

const devnet = devnetForTests();
const COUNT = Number(process.env["KEEPLIGHT_FILES"] ?? 40);
const BATCH = 100;

test(`${COUNT} files, all five nodes down: age and Python alone open every byte`, async () => {
  ensureRecoveryTools();
  const folder = await scratch();
  const { identity, recipient } = await createRecoveryIdentity();
  const owner = as(devnet(), 0);
  const apiKey = await getApiKey(devnet(), account(devnet(), 0));
  const contents = new Map(Array.from({ length: COUNT }, (_, at) => [`${at}.bin`, randomBytes(at)]));
  const names = [...contents.keys()];
  for (let at = 0; at < COUNT; at += BATCH) {
    const files = names.slice(at, at + BATCH).map((name) => new File([contents.get(name) ?? ""], name));
    await uploadEncrypted(files, { ...owner, apiKey });
  }
  const to = join(folder, "kit.age");
  const { endpoints } = devnet();
  const made = await makeRecoveryKit(iterateFiles({ apiKey, endpoints }), { ...owner, recipients: recipient, to });
  expect(made).toMatchObject({ files: COUNT, failures: [] });

  for (const node of [1, 2, 3, 4, 5]) devnet().stopNode(node);
  const opened = await openWithoutKeeplight(folder, { kits: [to], identity, gateway: endpoints.gateway });
  expect(opened).toHaveLength(COUNT);
  const wrong = opened.filter(({ name, bytes }) => {
    const content = contents.get(name.replace(/^\d{5}-/, ""));
    return !content?.equals(bytes);
  });
  expect(wrong.map(({ name }) => name)).toEqual([]);
});
