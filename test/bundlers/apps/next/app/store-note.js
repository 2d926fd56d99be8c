"use server";

import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Wallet } from "ethers";
import { createApiKey, createKit } from "keeplight";

/** Encrypts and uploads a local file, and decrypts it to another file, which requires Node. */
export async function storeNote(_, form) {
  const folder = await mkdtemp(join(tmpdir(), "note-"));
  try {
    const signer = new Wallet(process.env.PRIVATE_KEY);
    const endpoints = JSON.parse(process.env.ENDPOINTS);
    const apiKey = await createApiKey({ endpoints, signer });
    const kit = createKit({ endpoints, signer, apiKey, pauseMs: 0 });
    const [from, to] = [join(folder, "note.txt"), join(folder, "again.txt")];
    await writeFile(from, form.get("note"));
    const [stored] = await kit.uploadEncrypted(from);
    await kit.decrypt(stored.Hash, { to });
    return `${stored.Name}: ${await readFile(to, "utf8")}`;
  } finally {
    await rm(folder, { recursive: true });
  }
}
