import { createHash, randomBytes } from "node:crypto";
import { Piece } from "@web3-storage/data-segment";
import { beforeAll, describe, expect, test } from "vitest";
import { account, add, devnetForTests, getApiKey, send } from "../../../test/support/devnet-wire.ts";
import { computePiece } from "../src/deals.ts";
import { startDevnet } from "../src/index.ts";

const devnet = devnetForTests({ proofDelayMs: 0, proofMaxBytes: 300_000, tickers: { FIL: 4.5 } });
const api = (path: string) => send("GET", `${devnet().endpoints.api}/api/lighthouse/${path}`);
let key = "";
const upload = async (files: Record<string, BlobPart>, query?: string) =>
  ((await (await add(devnet(), key, files, query)).json()) as { Hash: string }).Hash;
beforeAll(async () => {
  key = await getApiKey(devnet(), account(devnet(), 0));
});

interface Path {
  index: string;
  path: string[];
}
interface ProofResponse {
  pieceCID: string;
  dealInfo: {
    dealId: number;
    storageProvider: string;
    proof: {
      verifierData: { commPc: string; sizePc: string };
      inclusionProof: { proofIndex: Path; proofSubtree: Path };
      indexRecord: { checksum: string; proofIndex: string; proofSubtree: number; size: number };
    };
  }[];
}

function shortHash(bytes: Uint8Array, length: number): Buffer {
  const hash = createHash("sha256").update(bytes).digest().subarray(0, length);
  hash[length - 1] = (hash[length - 1] ?? 0) & 0x3f;
  return hash;
}

/** Follows a path up, by the rules of FRC-0058 alone. */
function computeRoot({ index, path }: Path, from: Buffer): string {
  let position = BigInt(`0x${index}`);
  let node = from;
  for (const sibling of path.map((hash) => Buffer.from(hash, "hex"))) {
    node = shortHash(Buffer.concat(position % 2n === 1n ? [sibling, node] : [node, sibling]), 32);
    position /= 2n;
  }
  expect(position).toBe(0n);
  return node.toString("hex");
}

function checkProof({ pieceCID, dealInfo }: ProofResponse, content: Uint8Array): void {
  const piece = Piece.fromPayload(content);
  const [deal] = dealInfo;
  const { verifierData, inclusionProof, indexRecord } = deal?.proof ?? {};
  if (!verifierData || !inclusionProof || !indexRecord) throw new Error("no proof");
  const commitment = Buffer.from(piece.root);
  expect(verifierData).toEqual({
    commPc: `0181e203922020${commitment.toString("hex")}`,
    sizePc: piece.size.toString(16),
  });
  const record = Buffer.alloc(64);
  record.set(commitment);
  record.writeBigUInt64LE(BigInt(indexRecord.proofSubtree), 32);
  record.writeBigUInt64LE(BigInt(indexRecord.size), 40);
  const checksum = shortHash(record, 16);
  expect(indexRecord).toMatchObject({
    checksum: checksum.toString("hex"),
    proofIndex: commitment.toString("hex"),
    size: Number(piece.size),
  });
  expect(BigInt(`0x${inclusionProof.proofSubtree.index}`) * piece.size).toBe(BigInt(indexRecord.proofSubtree));
  record.set(checksum, 48);
  const root = computeRoot(inclusionProof.proofSubtree, commitment);
  expect(computeRoot(inclusionProof.proofIndex, shortHash(record, 32))).toBe(root);
  expect(Piece.toInfo({ root: Buffer.from(root, "hex"), height: 0, padding: 0n } as never).link.toString()).toBe(
    pieceCID,
  );
}

describe("the piece of some bytes", () => {
  async function* inChunks(bytes: Uint8Array, size: number): AsyncGenerator<Uint8Array> {
    for (let at = 0; at < bytes.byteLength; at += size) yield bytes.subarray(at, at + size);
  }
  const computeRootInChunks = async (bytes: Uint8Array, size: number) =>
    Buffer.from((await computePiece(inChunks(bytes, size))).root).toString("hex");

  test("is that of the network", async () => {
    const zeros = new Uint8Array(2_032);
    const counting = Uint8Array.from({ length: 4_000 }, (_, at) => at * 7);
    expect([await computeRootInChunks(zeros, 2_032), await computeRootInChunks(counting, 4_000)]).toEqual([
      "fc7e928296e516faade986b28f92d44a4f24b935485223376a799027bc18f833",
      "69bf129d78608d748032bf7c8b0afb3d6146898e0a52cadf948cad30c4fbb315",
    ]);
  });

  test.each([0, 1, 64, 65, 126, 127, 128, 254, 255, 508, 509, 1_016, 1_017, 4_000, 65_024, 65_025])(
    "is the same for %i of them in chunks of any size",
    async (size) => {
      const bytes = randomBytes(size);
      const expected = Piece.fromPayload(bytes);
      for (const chunk of size > 10_000 ? [100] : [1, 100, 127, 65_536]) {
        const { root, height } = await computePiece(inChunks(bytes, chunk));
        expect([Buffer.from(root).toString("hex"), height]).toEqual([
          Buffer.from(expected.root).toString("hex"),
          expected.height,
        ]);
      }
    },
  );
});

describe("proofs", () => {
  test.each([[12], [1_000], [200_000]])("of a file of %i bytes hold", async (size) => {
    const content = randomBytes(size);
    const { status, body } = await api(`get_proof?cid=${await upload({ content })}`);
    expect(status).toBe(200);
    checkProof(body as ProofResponse, content);
  });

  test("of a folder cover the bytes of its files, in the order of their names", async () => {
    const files = { "d/b": "second ", "d/c/d": "third", "d/a": "first " };
    const { body } = await api(`get_proof?cid=${await upload(files, "cid-version=0")}`);
    checkProof(body as ProofResponse, Buffer.from("first second third"));
    const list = await send("GET", `${devnet().endpoints.api}/api/user/files_uploaded`, undefined, key);
    const { fileList } = list.body as { fileList: object[] };
    expect(fileList[0]).toMatchObject({ fileName: "d", fileSizeInBytes: "18" });
  });

  test("do not change, and a deal has the same piece", async () => {
    const cid = await upload({ a: randomBytes(5_000) });
    const { body } = await api(`get_proof?cid=${cid}`);
    expect((await api(`get_proof?cid=${cid}`)).body).toEqual(body);
    const { pieceCID, dealInfo } = body as ProofResponse;
    const deals = await api(`deal_status?cid=${cid}`);
    expect(deals.body).toMatchObject([
      {
        dealId: dealInfo[0]?.dealId,
        pieceCID,
        payloadCid: cid,
        carFileSize: 5_000,
        pieceSize: 2 ** 26,
        miner: "t017840",
      },
    ]);
    expect((await api(`deal_status?cid=${cid}`)).body).toEqual(deals.body);
  });

  test("do not exist for files that are too large, deleted or unknown, or for an invalid content id", async () => {
    const none = { status: 400, body: { message: "Proof Doesn't exist yet" } };
    const large = await upload({ large: randomBytes(300_001) });
    const deleted = await upload({ deleted: randomBytes(100) });
    const list = await send("GET", `${devnet().endpoints.api}/api/user/files_uploaded`, undefined, key);
    const { fileList } = list.body as { fileList: { id: string }[] };
    await send("DELETE", `${devnet().endpoints.api}/api/user/delete_file?id=${fileList[0]?.id}`, undefined, key);
    for (const cid of [large, deleted, "QmUNLLsPACCz1vLxQVkXqqLX5R1X345qqfHbsf67hvA3Nn"]) {
      expect(await api(`get_proof?cid=${cid}`)).toEqual(none);
      expect(await api(`deal_status?cid=${cid}`)).toEqual({ status: 200, body: [] });
    }
    expect((await api("get_proof?cid=x")).status).toBe(400);
    expect((await api("deal_status?cid=x")).status).toBe(400);
  });

  test("exist after a delay", async () => {
    const slow = await startDevnet({ proofDelayMs: 600 });
    try {
      const slowKey = await getApiKey(slow, account(slow, 0));
      const { Hash } = (await (await add(slow, slowKey, { a: "a" })).json()) as { Hash: string };
      const request = async (call: string) => send("GET", `${slow.endpoints.api}/api/lighthouse/${call}?cid=${Hash}`);
      expect([(await request("get_proof")).status, (await request("deal_status")).body]).toEqual([400, []]);
      await expect.poll(async () => (await request("get_proof")).status, { timeout: 50_000 }).toBe(200);
    } finally {
      await slow.close();
    }
  });
});

test("a running proof computation ends with the devnet", async () => {
  const closing = await startDevnet({ proofDelayMs: 0 });
  const closingKey = await getApiKey(closing, account(closing, 0));
  const response = await add(closing, closingKey, { large: randomBytes(20_000_000) });
  const { Hash } = (await response.json()) as { Hash: string };
  const requesting = fetch(`${closing.endpoints.api}/api/lighthouse/get_proof?cid=${Hash}`);
  await expect.poll(() => closing.requests().at(-1)?.path).toContain("get_proof");
  await Promise.all([expect(requesting).rejects.toThrow("fetch failed"), closing.close()]);
});

describe("tickers", () => {
  test("have the prices that were set, by symbols in any case", async () => {
    expect(await api("get_ticker?symbol=fil")).toEqual({ status: 200, body: 4.5 });
    devnet().setTicker("fil", 5.25);
    expect((await api("get_ticker?symbol=FIL")).body).toBe(5.25);
  });

  test("do not exist for unknown coins", async () => {
    expect(await api("get_ticker?symbol=DOGE")).toEqual({ status: 400, body: { message: "Unknown symbol" } });
    expect((await api("get_ticker")).status).toBe(400);
  });

  test.each([{ tickers: { FIL: 0 } }, { proofDelayMs: -1 }, { proofMaxBytes: -1 }])(
    "%j is refused",
    async (options) => {
      await expect(startDevnet(options)).rejects.toMatchObject({ code: "INVALID_OPTION" });
    },
  );
});
