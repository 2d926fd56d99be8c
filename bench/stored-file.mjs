// @ts-check
// A devnet in a process of its own that stores a file and the same file encrypted, in a folder that the parent removes.
import { createCipheriv, createHash, pbkdf2Sync, randomBytes } from "node:crypto";
import { closeSync, openSync, writeSync } from "node:fs";
import { join } from "node:path";
import { startDevnet } from "@keeplight/devnet";
import { createApiKey, upload } from "keeplight";

/**
 * @typedef {object} StoredFile
 * @property {string} gateway base URL
 * @property {string} cid of the file
 * @property {string} encryptedCid of the same file encrypted
 * @property {string} masterKey
 * @property {string} sha256 of the file
 */

const CHUNK_BYTES = 1024 * 1024;

/** @type {{ bytes: number, folder: string }} */
const { bytes, folder } = JSON.parse(process.argv[2] ?? "{}");
process.on("disconnect", () => process.exit());
process.on("message", () => {
  const { user, system } = process.cpuUsage();
  process.send?.((user + system) / 1_000_000);
});

/** Writes random bytes, and the same bytes encrypted. */
function writeFiles() {
  const masterKey = randomBytes(32).toString("hex");
  const salt = randomBytes(16);
  const iv = randomBytes(12);
  const cipher = createCipheriv("aes-256-gcm", pbkdf2Sync(masterKey, salt, 250_000, 32, "sha256"), iv);
  const random = createCipheriv("aes-256-ctr", randomBytes(32), randomBytes(16));
  const hash = createHash("sha256");
  const plain = openSync(join(folder, "plain"), "wx");
  const encrypted = openSync(join(folder, "encrypted"), "wx");
  writeSync(encrypted, Buffer.concat([salt, iv]));
  for (let done = 0; done < bytes; done += CHUNK_BYTES) {
    const chunk = random.update(Buffer.alloc(Math.min(CHUNK_BYTES, bytes - done)));
    hash.update(chunk);
    writeSync(plain, chunk);
    writeSync(encrypted, cipher.update(chunk));
  }
  writeSync(encrypted, Buffer.concat([cipher.final(), cipher.getAuthTag()]));
  closeSync(plain);
  closeSync(encrypted);
  return { masterKey, sha256: hash.digest("hex") };
}

const devnet = await startDevnet({ dataDir: join(folder, "devnet") });
const { endpoints } = devnet;
const [account] = devnet.accounts;
const { Wallet } = await import("ethers");
const apiKey = await createApiKey({ signer: new Wallet(account?.privateKey ?? ""), endpoints });
const written = writeFiles();
const [plain] = await upload(join(folder, "plain"), { apiKey, endpoints });
const [encrypted] = await upload(join(folder, "encrypted"), { apiKey, endpoints });
process.send?.({ gateway: endpoints.gateway, cid: plain?.Hash, encryptedCid: encrypted?.Hash, ...written });
