import { randomBytes } from "node:crypto";
import type { IncomingMessage } from "node:http";
import { type Candidate, type Imported, importTree } from "../content/importer.ts";
import { Refusal } from "../http/json.ts";
import type { Network } from "../network.ts";

/**
 * Stores a body as a file of `account`, in the class `walrus`. The service uploads it from a temporary file, whose name is
 * the one that the network shows.
 *
 * @throws Refusal 400 unless it has from 1 to `declared` bytes; any other error if the connection ended early.
 */
export async function storeBody(
  { content, ledger, options }: Network,
  incoming: IncomingMessage,
  declared: number,
  account: string,
): Promise<Imported> {
  const fileName = `lh-upload-${randomBytes(8).toString("hex")}`;
  const body = incoming.iterator({ destroyOnReturn: false }) as AsyncIterable<Uint8Array>;
  async function* listCandidates(): AsyncGenerator<Candidate> {
    yield { path: fileName, content: body };
  }

  const spool = await content.openSpool();
  try {
    for await (const file of importTree(listCandidates(), shapeOf(options.chunking), spool.put)) {
      const { cid, bytes: size } = file;
      if (size === 0) throw new Refusal(400, "File data is required in request body", "error");
      if (size > declared) throw new Refusal(400, mismatch(declared, size), "error");
      await spool.keep();
      ledger.add({ publicKey: account, fileName, mimeType: null, cid, encryption: false, storage: "walrus", size });
      return file;
    }
    throw new Error("the importer returned no file");
  } finally {
    await spool.discard();
  }
}

const shapeOf = (chunking: Network["options"]["chunking"]) => ({ cidVersion: 1 as const, wrap: false, ...chunking });

const mismatch = (declared: number, received: number) =>
  `Content-Length mismatch: declared ${declared} bytes but received ${received} bytes`;
