// @ts-check
// Creates the files and keys for both clients, in a process of its own: on Linux, a parent's memory counts towards the
// peak of its children.
import { createCipheriv, createHash, pbkdf2Sync, randomBytes } from "node:crypto";
import { closeSync, mkdirSync, openSync, writeFileSync, writeSync } from "node:fs";
import { join } from "node:path";
import kavach from "@lighthouse-web3/kavach";

const CHUNK_BYTES = 1024 * 1024;

/**
 * @typedef {object} Fixtures
 * @property {string} file path of the large file
 * @property {string} sha256 of that file
 * @property {string} ciphertext path of the same file encrypted under `masterKey`
 * @property {string} folder path of the folder of small files
 * @property {string} masterKey
 * @property {{ key: string, index: string }[]} keyShards the five shards of the master key
 */

/** @type {{ scratch: string, bytes: number, files: number, fileBytes: number }} */
const { scratch, bytes, files, fileBytes } = JSON.parse(process.argv[2] ?? "{}");
process.on("disconnect", () => process.exit(1));

const file = join(scratch, "large.bin");
const ciphertext = join(scratch, "large.bin.encrypted");
const folder = join(scratch, "folder");
const { masterKey, keyShards } = await kavach.generate();
if (masterKey === null) throw new Error("no key was generated");

mkdirSync(folder);
for (let at = 0; at < files; at++) writeFileSync(join(folder, `file-${at}.bin`), randomBytes(fileBytes));

const salt = randomBytes(16);
const iv = randomBytes(12);
const cipher = createCipheriv("aes-256-gcm", pbkdf2Sync(masterKey, salt, 250_000, 32, "sha256"), iv);
const keystream = createCipheriv("aes-256-ctr", randomBytes(32), randomBytes(16));
const zeros = Buffer.alloc(CHUNK_BYTES);
const hash = createHash("sha256");
const plain = openSync(file, "wx");
const encrypted = openSync(ciphertext, "wx");
writeSync(encrypted, Buffer.concat([salt, iv]));
for (let done = 0; done < bytes; done += CHUNK_BYTES) {
  const chunk = keystream.update(zeros);
  hash.update(chunk);
  writeSync(plain, chunk);
  writeSync(encrypted, cipher.update(chunk));
}
writeSync(encrypted, Buffer.concat([cipher.final(), cipher.getAuthTag()]));
closeSync(plain);
closeSync(encrypted);

/** @type {Fixtures} */
const fixtures = { file, sha256: hash.digest("hex"), ciphertext, folder, masterKey, keyShards };
process.send?.(fixtures, () => process.exit(0));
