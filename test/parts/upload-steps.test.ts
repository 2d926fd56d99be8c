import { expect, test } from "vitest";
import type { UploadEncryptedOptions } from "../../src/index.ts";
import { openEntries, resolveOptions } from "../../src/parts/index.ts";
import { createUploadSteps } from "../../src/parts/upload-steps.ts";
import { journalStore } from "../../src/platform/node/journal-folder.ts";
import type { UploadState } from "../../src/storage/upload/journal-entry.ts";
import { toSourceFile } from "../../src/storage/upload/source.ts";
import { uploadEncryptedSchema } from "../../src/storage/upload/upload-encrypted.ts";
import { as } from "../kavach/saved-keys.ts";
import { account, devnetForTests, getApiKey } from "../support/devnet-wire.ts";
import { failure } from "../support/failure.ts";
import { scratch } from "../support/files.ts";
import { createServer, sendJson } from "../support/http-server.ts";

const devnet = devnetForTests();

test.each([true, false])(
  "a file that is sent again is not believed to be stored as it was sent before (all of it read: %s)",
  async (read) => {
    const entries = await openEntries(await journalStore({ folder: await scratch() }));
    const entry = await entries.open<UploadState>("bulk", "batch", { owner: "", options: {}, files: [] });
    const apiKey = await getApiKey(devnet(), account(devnet(), 0));
    const { endpoints, ...signing } = as(devnet(), 0);
    const toOptions = (upload: string): UploadEncryptedOptions => {
      return { ...signing, apiKey, attempts: 1, endpoints: { ...endpoints, upload } };
    };
    const stepsTo = (upload: string) =>
      createUploadSteps(entry, resolveOptions(uploadEncryptedSchema, toOptions(upload)));
    const source = toSourceFile(new Uint8Array(16 * 1024 ** 2), "a.bin");
    const { signal } = new AbortController();
    const steps = stepsTo(endpoints.upload);
    await steps.prepare([{ path: "a.bin", name: "a.bin.enc" }], false, signal);
    const [first = ""] = await steps.send([0], [source], false, signal);
    // A node that has not read the file repeats its last response.
    const { url } = await createServer((_, response) => sendJson(response, { Name: "a.bin.enc", Hash: first }), {
      read,
    });
    const error = await failure(stepsTo(url).send([0], [source], false, signal));
    expect(error.code).toBe(read ? "CID_MISMATCH" : "INVALID_RESPONSE");
    expect(entry.state.files[0]?.attempts.length).toBe(read ? 2 : 1);
  },
);
