// @ts-check
// One operation of keeplight, as its users run it: the built package, in plain Node.
import { createCipheriv, createHash, randomBytes } from "node:crypto";
import { createReadStream } from "node:fs";
import { pipeline } from "node:stream/promises";
import { decrypt, kavachGenerate, kavachRecoverKey, kavachRecoverShards, upload, uploadEncrypted } from "keeplight";
import { account } from "./account.cjs";
import { createOperation, measureTask } from "./measure.cjs";

/** @typedef {import("./measure.cjs").Task} Task */

const CHUNK_BYTES = 256 * 1024;

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
    run: () => uploadEncrypted(task.path, { ...owner, ...createUploadOptions(task), ...pauses }),
    check: (stored) => stored.length === task.count,
  });

await measureTask({
  upload: (task) =>
    createOperation({
      run: () => upload(task.path, createUploadOptions(task)),
      check: (stored) => stored.length === task.count,
    }),

  uploadEncrypted: (task) => createEncryptedUpload(task),

  uploadEncryptedWithoutPauses: (task) => createEncryptedUpload(task, { pauseMs: 0 }),

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

  /** The minimum cost of encryption: the cipher alone, over bytes in memory. */
  cipherPass: (task) =>
    createOperation({
      async run() {
        const cipher = createCipheriv("aes-256-gcm", randomBytes(32), randomBytes(12));
        const chunk = randomBytes(CHUNK_BYTES);
        let done = 0;
        while (done < task.bytes) done += cipher.update(chunk).length;
        cipher.final();
        return done;
      },
      check: (done) => done === task.bytes,
    }),
});
