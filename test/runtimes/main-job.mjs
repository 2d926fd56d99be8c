// Run by every runtime of runtimes.full.ts in a folder where keeplight is installed:
// node main-job.mjs '<endpoints as JSON>' <private key of a funded account>
import { readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Wallet } from "ethers";
import { createKit, kavachRecoverKey } from "keeplight";

const [endpointsJson = "{}", privateKey = ""] = process.argv.slice(2);
const signer = new Wallet(privateKey);
const unbound = createKit({ endpoints: JSON.parse(endpointsJson), signer, pauseMs: 0 });
const kit = createKit({
  endpoints: JSON.parse(endpointsJson),
  signer,
  pauseMs: 0,
  apiKey: await unbound.createApiKey(),
});

/** More than one chunk of every stream on the way, and no multiple of a block. */
const size = 3 * 1024 * 1024 + 17;
const bytes = Uint8Array.from({ length: size }, (_, at) => (at * 31) % 251);
const isSame = (other) => other.length === size && other.every((byte, at) => byte === bytes[at]);

const [plain] = await kit.uploadBuffer(bytes, { name: "plain.bin" });
const [secret] = await kit.uploadEncrypted(bytes, { name: "secret.bin" });

const path = join(tmpdir(), `keeplight-main-job-${process.pid}.bin`);
await kit.decrypt(secret.Hash, { to: path });
const saved = await readFile(path);
await rm(path);

const { shards } = await kit.kavachRecoverShards(secret.Hash);
const { masterKey } = await kavachRecoverKey(shards);

console.log(
  JSON.stringify({
    downloaded: isSame(await kit.download(plain.Hash)),
    decrypted: isSame(await kit.decrypt(secret.Hash)),
    saved: isSame(saved),
    recovered: /^[0-9a-f]{64}$/.test(masterKey),
  }),
);
