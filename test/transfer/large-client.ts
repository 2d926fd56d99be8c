import { createHash, randomBytes } from "node:crypto";
import { createReadStream } from "node:fs";
import { open, rm } from "node:fs/promises";
import { join } from "node:path";
import { Wallet } from "ethers";
import { createApiKey, createKit } from "../../src/index.ts";

// Encrypts, uploads and decrypts one file of `mib` MiB in its own process, so that its peak memory can be measured.
const [folder = "", endpoints = "", mib = "0"] = process.argv.slice(2);
const signer = Wallet.createRandom();
const own = { endpoints: JSON.parse(endpoints), signer };
const kit = createKit({ ...own, pauseMs: 0, apiKey: await createApiKey(own) });

const path = join(folder, "large.bin");
const hash = createHash("sha256");
const file = await open(path, "w");
for (let written = 0; written < Number(mib); written += 4) {
  const chunk = randomBytes(4 * 1024 * 1024);
  hash.update(chunk);
  await file.write(chunk);
}
await file.close();

const [stored] = await kit.uploadEncrypted(path);
const to = join(folder, "again.bin");
const { size } = await kit.decrypt(stored?.Hash ?? "", { to });
const again = createHash("sha256");
for await (const chunk of createReadStream(to)) again.update(chunk);
await Promise.all([rm(path), rm(to)]);
process.send?.({
  size,
  same: again.digest("hex") === hash.digest("hex"),
  peakMib: Math.round(process.resourceUsage().maxRSS / 1024),
});
process.disconnect();
