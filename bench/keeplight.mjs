// @ts-check
// One operation of keeplight, as its users run it: the built package, in plain Node.
import { createHash } from "node:crypto";
import { createReadStream } from "node:fs";
import { mkdtemp, readdir, rm } from "node:fs/promises";
import { dirname, join } from "node:path";
import { pipeline } from "node:stream/promises";
import {
  decrypt,
  kavachGenerate,
  kavachRecoverKey,
  kavachRecoverShards,
  openJournal,
  upload,
  uploadEncrypted,
} from "keeplight";
import { account } from "./account.cjs";
import { createOperation, measureTask } from "./measure.cjs";

/** @typedef {import("./measure.cjs").Task} Task */

/** @param {string} service */
const createEndpoints = (service) => ({ api: service, upload: service, gateway: service, keyNodes: service });

const { apiKey, ...owner } = account;

/** @param {Task} task */
const createUploadOptions = ({ service }) => ({ apiKey, endpoints: createEndpoints(service) });

/** @param {Task} task */
const createOwnerOptions = ({ service }) => ({ ...owner, endpoints: createEndpoints(service) });

/**
 * @param {Task} task
 * @param {{ pauseMs?: number }} [pauses]
 */
const createEncryptedUpload = (task, pauses = {}) =>
  createOperation({
    run: () =>
      withJournal(task, (journal) =>
        uploadEncrypted(task.path, { ...owner, ...createUploadOptions(task), ...journal, ...pauses }),
      ),
    check: (stored) => stored.length === task.count,
  });

/**
 * Runs an upload with a journal on the disk of its results, if it is to have one.
 *
 * @template Result
 * @param {Task} task
 * @param {(options: { journal?: import("keeplight").Journal }) => Promise<Result>} work
 */
async function withJournal({ journaled, to }, work) {
  if (!journaled) return work({});
  const folder = await mkdtemp(join(dirname(to), "journal-"));
  const result = await work({ journal: await openJournal({ folder }) });
  await rm(folder, { recursive: true });
  return result;
}

await measureTask({
  upload: (task) =>
    createOperation({
      run: () => upload(task.path, createUploadOptions(task)),
      check: (stored) => stored.length === task.count,
    }),

  uploadEncrypted: (task) => createEncryptedUpload(task),

  uploadEncryptedWithoutPauses: (task) => createEncryptedUpload(task, { pauseMs: 0 }),

  uploadEncryptedOneByOne: (task) =>
    createOperation({
      run: () =>
        withJournal(task, async (journal) => {
          const names = (await readdir(task.path)).sort().slice(0, task.count);
          const options = { ...owner, ...createUploadOptions(task), ...journal, pauseMs: 0 };
          for (const name of names) await uploadEncrypted(join(task.path, name), options);
          return names.length;
        }),
      check: (done) => done === task.count,
    }),

  decrypt: (task) =>
    createOperation({
      run: () => decrypt(task.cid, { ...createOwnerOptions(task), key: task.masterKey, to: task.to }),
      async check() {
        const hash = createHash("sha256");
        await pipeline(createReadStream(task.to), hash);
        return hash.digest("hex") === task.sha256;
      },
    }),

  recoverKey: (task) =>
    createOperation({
      async run() {
        const { shards } = await kavachRecoverShards(task.cid, createOwnerOptions(task));
        return kavachRecoverKey(shards);
      },
      check: ({ masterKey }) => masterKey === task.masterKey,
    }),

  generate: (task) =>
    createOperation({
      async run() {
        const generated = [];
        for (let at = 0; at < task.count; at++) generated.push(await kavachGenerate());
        return generated;
      },
      async check(generated) {
        const { masterKey, keyShards } = generated[task.count - 1] ?? { masterKey: "", keyShards: [] };
        return (await kavachRecoverKey(keyShards.slice(2))).masterKey === masterKey;
      },
    }),
});
