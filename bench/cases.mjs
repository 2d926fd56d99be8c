// @ts-check

/**
 * keeplight without and with a journal, the incumbent, and the same steps alone.
 *
 * @typedef {"keeplight" | "journaled" | "incumbent" | "bare"} Subject
 */

/**
 * @typedef {object} Size
 * @property {number} bytes of the large file
 * @property {number} files how many small files
 * @property {number} fileBytes of each small file
 * @property {number} keys how many keys to generate
 * @property {boolean} full whether the bars for times apply to it
 */

/**
 * @typedef {object} Case
 * @property {string} name
 * @property {string} operation
 * @property {readonly Subject[]} subjects in the order in which they take turns
 * @property {number} rounds
 * @property {boolean} [idle] whether it mostly waits, so that its subjects are measured concurrently
 * @property {Partial<import("./measure.cjs").Task>} task
 * @property {import("./service.mjs").Received} [received] what the service must have received afterwards
 */

const MIB = 1024 * 1024;
const KEY_NODES = 5;
/** How many bytes encryption adds to a file. */
const OVERHEAD_BYTES = 44;
/** How many files are uploaded one after another. */
export const SINGLES = 100;

/** @type {Size} */
export const fullSize = { bytes: 1024 * MIB, files: 500, fileBytes: 10_000, keys: 100, full: true };
/** @type {Size} */
export const quickSize = { bytes: 256 * MIB, files: 100, fileBytes: 10_000, keys: 20, full: false };

/**
 * Names the cases at a size; results are looked up by these names.
 *
 * @param {Size} size
 */
export function nameCases({ bytes, files, fileBytes, keys }) {
  const large = bytes >= 1024 * MIB ? `${bytes / (1024 * MIB)} GiB` : `${bytes / MIB} MiB`;
  return {
    upload: `plain upload of ${large}`,
    encrypted: `encrypted upload of ${large}`,
    unpaced: `encrypted upload of ${large}, pauseMs 0`,
    singles: `${SINGLES} encrypted uploads of ${fileBytes / 1000} kB each, pauseMs 0`,
    hash: `SHA-256 over ${large}`,
    aes: `AES-256-GCM over ${large}`,
    cipher: `one pass of AES-256-GCM and two of SHA-256 over ${large}`,
    folder: `encrypted upload of ${files} files of ${fileBytes / 1000} kB`,
    decryption: `decryption of ${large}`,
    recovery: "key recovery",
    generation: `generation of ${keys} sharded keys`,
  };
}

/**
 * @param {Size} size
 * @param {import("./fixtures.mjs").Fixtures} fixtures
 * @returns {Case[]}
 */
export function createCases(size, { file, folder }) {
  const { bytes, files, fileBytes, keys, full } = size;
  const names = nameCases(size);
  /** @type {readonly Subject[]} */
  const both = ["keeplight", "incumbent"];
  /** @type {readonly Subject[]} */
  const bare = ["bare"];
  /** @type {readonly Subject[]} */
  const withJournal = ["keeplight", "journaled"];
  const single = { path: file, count: 1, bytes };
  const encryptedFile = { files: 1, bytes: bytes + OVERHEAD_BYTES, shards: KEY_NODES };
  return [
    {
      name: names.upload,
      operation: "upload",
      subjects: [...both, ...bare],
      rounds: full ? 5 : 2,
      task: single,
      received: { files: 1, bytes, shards: 0 },
    },
    {
      name: names.encrypted,
      operation: "uploadEncrypted",
      subjects: both,
      rounds: full ? 2 : 1,
      task: single,
      received: encryptedFile,
    },
    {
      name: names.unpaced,
      operation: "uploadEncryptedWithoutPauses",
      subjects: [...withJournal, ...bare],
      rounds: full ? 5 : 1,
      task: single,
      received: encryptedFile,
    },
    {
      name: names.singles,
      operation: "uploadEncryptedOneByOne",
      subjects: withJournal,
      rounds: full ? 3 : 1,
      task: { path: folder, count: SINGLES },
      received: { files: SINGLES, bytes: SINGLES * (fileBytes + OVERHEAD_BYTES), shards: SINGLES * KEY_NODES },
    },
    { name: names.hash, operation: "hash", subjects: bare, rounds: full ? 5 : 1, task: { bytes } },
    { name: names.aes, operation: "cipher", subjects: bare, rounds: full ? 5 : 1, task: { bytes } },
    { name: names.cipher, operation: "cipherAndHashes", subjects: bare, rounds: full ? 5 : 1, task: { bytes } },
    {
      name: names.folder,
      operation: "uploadEncrypted",
      subjects: both,
      rounds: 1,
      task: { path: folder, count: files },
      received: { files, bytes: files * (fileBytes + OVERHEAD_BYTES), shards: files * KEY_NODES },
    },
    { name: names.decryption, operation: "decrypt", subjects: both, rounds: full ? 2 : 1, task: {} },
    { name: names.recovery, operation: "recoverKey", subjects: both, rounds: full ? 2 : 1, idle: true, task: {} },
    { name: names.generation, operation: "generate", subjects: both, rounds: full ? 3 : 1, task: { count: keys } },
  ];
}
