import { rm, writeFile } from "node:fs/promises";
import type { Invocation } from "../frame/invocation.ts";
import { UsageError } from "../frame/usage-error.ts";
import { drawProof } from "../steps/proof-tree.ts";

/** Fetches and verifies the storage proof of a file, and draws it. */
export async function run({ load, call, argument, option, output, isDryRun }: Invocation): Promise<void> {
  const { getProof, verifyProof } = await load();
  const cid = argument("cid");
  const proof = await getProof(cid, call);
  const verified = await verifyProof(proof);
  const save = option("save");
  if (save !== undefined && !isDryRun) await saveNew(save, `${JSON.stringify(proof, null, 2)}\n`);
  const { pieceCid, pieceSize, deals } = verified;
  output.result(
    { cid, pieceCid, pieceSize, deals },
    { text: () => drawProof(cid, proof, verified), quiet: deals.map(({ dealId }) => String(dealId)).join("\n") },
  );
}

/** Writes a file that does not exist yet: whole or not at all. */
async function saveNew(path: string, text: string): Promise<void> {
  try {
    await writeFile(path, text, { flag: "wx", flush: true });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "EEXIST") {
      throw new UsageError(`${path} exists already`, { code: "FILE_EXISTS" });
    }
    await rm(path, { force: true });
    throw error;
  }
}
