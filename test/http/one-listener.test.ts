import { getEventListeners } from "node:events";
import { setImmediate } from "node:timers/promises";
import { expect, onTestFinished, test } from "vitest";
import { decrypt, download, upload, uploadEncrypted } from "../../src/index.ts";
import { as } from "../kavach/saved-keys.ts";
import { account, devnetForTests, getApiKey } from "../support/devnet-wire.ts";

// Node warns of a leak of memory if a signal has more than ten listeners.

const devnet = devnetForTests();
const FILES = 40;
const files = Array.from({ length: FILES }, (_, at) => new File([`file ${at}`], `${at}.txt`));

/** Runs a call with a signal; expects no warning, and that the signal has no listener afterwards. */
async function expectNoWarning(call: (signal: AbortSignal) => Promise<unknown>): Promise<void> {
  const warnings: string[] = [];
  const onWarning = ({ name, message }: Error) => {
    if (name === "MaxListenersExceededWarning") warnings.push(message);
  };
  process.on("warning", onWarning);
  onTestFinished(() => void process.off("warning", onWarning));
  const { signal } = new AbortController();
  await call(signal);
  await setImmediate();
  expect(warnings).toEqual([]);
  expect(getEventListeners(signal, "abort")).toEqual([]);
}

test.each([
  ["one key node after another", { pauseMs: 1 }],
  ["all key nodes at once", { pacing: "parallel" }],
] as const)("many encrypted files, with %s", async (_, pacing) => {
  const apiKey = await getApiKey(devnet(), account(devnet(), 0));
  const options = { ...as(devnet(), 0), ...pacing, apiKey };
  await expectNoWarning((signal) => uploadEncrypted(files, { ...options, signal }));
});

test("many calls at once", async () => {
  const owner = as(devnet(), 0);
  const { endpoints } = owner;
  const apiKey = await getApiKey(devnet(), account(devnet(), 0));
  const [plain] = await upload(files.slice(0, 1), { apiKey, endpoints });
  const [encrypted] = await uploadEncrypted(files.slice(0, 1), { ...owner, apiKey });
  await expectNoWarning(async (signal) => {
    const downloads = files.map(() => download(plain?.Hash ?? "", { endpoints, signal }));
    const decryptions = files.map(() => decrypt(encrypted?.Hash ?? "", { ...owner, signal }));
    const uploads = files.map((file) => upload(file, { apiKey, endpoints, signal }));
    await Promise.all([...downloads, ...decryptions, ...uploads]);
  });
});
