// @ts-check
// One operation of keeplight, as users have it: the built package, in plain Node.
import { createCipheriv, createHash, randomBytes } from "node:crypto";
import { createReadStream } from "node:fs";
import { pipeline } from "node:stream/promises";
import { decrypt, kavachGenerate, kavachRecoverKey, kavachRecoverShards, upload, uploadEncrypted } from "keeplight";
import { account } from "./account.cjs";
import { measureTask } from "./measure.cjs";

/** @typedef {import("./measure.cjs").Task} Task */

const PIECE_BYTES = 256 * 1024;

/** @param {string} service */
const endpoints = (service) => ({ api: service, upload: service, gateway: service, keyNodes: service });

/** @param {Task} task */
const options = ({ service }) => ({ ...account, endpoints: endpoints(service) });

/**
 * @param {Task} task
 * @param {{ pauseMs?: number }} [pauses]
 */
const encryptedUpload = (task, pauses = {}) => ({
  run: () => uploadEncrypted(task.path, { ...options(task), ...pauses }),
  /** @param {import("keeplight").UploadedFile[]} stored */
  check: (stored) => stored.length === task.count,
});

await measureTask({
  upload: (task) => ({
    run: () => upload(task.path, options(task)),
    check: (stored) => stored.length === task.count,
  }),

  uploadEncrypted: (task) => encryptedUpload(task),

  uploadEncryptedWithoutPauses: (task) => encryptedUpload(task, { pauseMs: 0 }),

  decrypt: (task) => ({
    run: () => decrypt(task.cid, { ...options(task), key: task.masterKey, to: task.to }),
    async check() {
      const hash = createHash("sha256");
      await pipeline(createReadStream(task.to), hash);
      return hash.digest("hex") === task.sha256;
    },
  }),

  recoverKey: (task) => ({
    async run() {
      const { shards } = await kavachRecoverShards(task.cid, options(task));
      return kavachRecoverKey(shards);
    },
    check: ({ masterKey }) => masterKey === task.masterKey,
  }),

  generate: (task) => ({
    async run() {
      const made = [];
      for (let at = 0; at < task.count; at++) made.push(await kavachGenerate());
      return made;
    },
    async check(/** @type {Awaited<ReturnType<typeof kavachGenerate>>[]} */ made) {
      const { masterKey, keyShards } = made[task.count - 1] ?? { masterKey: "", keyShards: [] };
      return (await kavachRecoverKey(keyShards.slice(2))).masterKey === masterKey;
    },
  }),

  /** What encryption costs at least: the cipher alone, over bytes that are in memory. */
  cipherPass: (task) => ({
    async run() {
      const cipher = createCipheriv("aes-256-gcm", randomBytes(32), randomBytes(12));
      const piece = randomBytes(PIECE_BYTES);
      let done = 0;
      while (done < task.bytes) done += cipher.update(piece).length;
      cipher.final();
      return done;
    },
    check: (done) => done === task.bytes,
  }),
});
