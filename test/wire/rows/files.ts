import { expect } from "vitest";
import { samples } from "../../access-conditions/samples.ts";
import { opaqueCid } from "../../support/fixtures.ts";
import { computeCid } from "../../support/stored-rows.ts";
import { address, apiKey, bearer, cid, endpoints, type FormPart, jwt, type Row, type Wire } from "../row.ts";

const owner = { address, authToken: jwt };
const stored = { Name: "a.txt", Hash: cid, Size: "5" };
const invalidMessage = "The upload node's response names no file";
const saltIvAndTag = 44;

function createPart(filename: string, content: string | number): FormPart {
  return {
    disposition: `form-data; name="file"; filename="${filename}"`,
    type: "application/octet-stream",
    content,
  };
}

function createUploadRequest(pathAndQuery: string, form: FormPart[], headers: Wire["headers"] = {}): Wire {
  return {
    method: "POST",
    url: `${endpoints.upload}${pathAndQuery}`,
    headers: { ...bearer, ...headers },
    body: { form },
  };
}

/** The upload, then five requests that save a key: the shards are random, all else is exact. */
function expectUploadAndKeys(
  upload: Wire,
  path: string,
  json: Readonly<Record<string, unknown>>,
): (sent: readonly Wire[]) => Promise<Wire[]> {
  return async (sent) => {
    const storedAt = await computeUploadCid(sent[0]);
    return [
      upload,
      ...[1, 2, 3, 4, 5].map((node) => ({
        method: "POST",
        url: `${endpoints.keyNodes}${path}/${node}`,
        headers: { authorization: `Bearer ${jwt}` },
        body: { json: { address, cid: storedAt, ...json, payload: readShard(sent[node]) } },
      })),
    ];
  };
}

/** Computes the CID of the only file of an upload. */
async function computeUploadCid(wire: Wire | undefined): Promise<string> {
  const [file] = wire?.body && "form" in wire.body ? wire.body.form : [];
  return computeCid(Buffer.from(String(file?.content), "latin1"));
}

function readShard(wire: Wire | undefined): unknown {
  const { payload } = (wire?.body && "json" in wire.body ? wire.body.json : {}) as { payload?: unknown };
  const element = expect.stringMatching(/^[0-9a-f]{64}$/);
  expect(payload).toEqual({ key: element, index: element });
  return payload;
}

const respondToUploadAndKeys = async (wire: Wire) =>
  wire.url.includes("/add") ? [{ ...stored, Hash: await computeUploadCid(wire) }] : { message: "success" };

const storedEncrypted = { ...stored, Hash: expect.stringMatching(/^bafkrei/) };

export const fileRows: Row[] = [
  {
    endpoint: "POST /api/v0/add",
    name: "upload of one file",
    call: (kit) => kit.upload(new File(["hello"], 'a "b".txt'), { apiKey }),
    requests: [createUploadRequest("/api/v0/add?cid-version=1", [createPart("a %22b%22.txt", "hello")])],
    response: stored,
    result: [stored],
    profile: "upload",
    invalidMessage,
  },
  {
    endpoint: "POST /api/v0/add",
    name: "upload of several files, one of which has a type",
    call: (kit) =>
      kit.upload([new File(["hello"], "a.txt", { type: "text/plain" }), new File([], "b.txt")], { apiKey }),
    requests: [
      createUploadRequest("/api/v0/add?cid-version=1&wrap-with-directory=false", [
        { ...createPart("a.txt", "hello"), type: "text/plain" },
        createPart("b.txt", ""),
      ]),
    ],
    response: [stored, { ...stored, Name: "b.txt" }],
    result: [stored, { ...stored, Name: "b.txt" }],
    profile: "upload",
    invalidMessage,
  },
  {
    endpoint: "POST /api/v0/add",
    name: "upload of several files into a folder",
    call: (kit) =>
      kit.upload([new File(["hello"], "a.txt"), new File([], "b.txt")], {
        apiKey,
        cidVersion: 0,
        wrapWithDirectory: true,
      }),
    requests: [
      createUploadRequest("/api/v0/add?cid-version=0&wrap-with-directory=true", [
        createPart("a.txt", "hello"),
        createPart("b.txt", ""),
      ]),
    ],
    response: { ...stored, Name: "" },
    result: [{ ...stored, Name: "" }],
    profile: "upload",
    invalidMessage,
  },
  {
    endpoint: "POST /api/v0/add",
    name: "uploadText",
    call: (kit) => kit.uploadText("grüße", { apiKey }),
    requests: [createUploadRequest("/api/v0/add?cid-version=1", [createPart("text.txt", "grüße")])],
    response: stored,
    result: [stored],
    profile: "upload",
    invalidMessage,
  },
  {
    endpoint: "POST /api/v0/add",
    name: "uploadBuffer",
    call: (kit) => kit.uploadBuffer(new Uint8Array([104, 105]), { apiKey }),
    requests: [createUploadRequest("/api/v0/add?cid-version=1", [createPart("blob", "hi")])],
    response: stored,
    result: [stored],
    profile: "upload",
    invalidMessage,
  },
  {
    endpoint: "POST /api/v0/add",
    name: "uploadEncrypted",
    call: (kit) => kit.uploadEncrypted(new File(["hello"], "a.bin"), { apiKey, ...owner }),
    requests: expectUploadAndKeys(
      createUploadRequest("/api/v0/add?cid-version=1", [createPart("a.bin", "hello".length + saltIvAndTag)], {
        encryption: "true",
      }),
      "/api/setSharedKey",
      {},
    ),
    response: respondToUploadAndKeys,
    result: [storedEncrypted],
    profile: "upload",
    invalidMessage,
  },
  {
    endpoint: "POST /api/v0/add",
    name: "uploadEncrypted under conditions",
    call: (kit) =>
      kit.uploadEncrypted(new File(["hello"], "a.bin"), {
        apiKey,
        ...owner,
        conditions: [samples.token],
        decryptionType: "ACCESS_CONDITIONS",
      }),
    requests: expectUploadAndKeys(
      createUploadRequest("/api/v0/add?cid-version=1", [createPart("a.bin", "hello".length + saltIvAndTag)], {
        encryption: "true",
      }),
      "/api/fileAccessConditions",
      { conditions: [samples.token], decryptionType: "ACCESS_CONDITIONS", chainType: "EVM" },
    ),
    response: respondToUploadAndKeys,
    result: [storedEncrypted],
    profile: "upload",
    invalidMessage,
  },
  {
    endpoint: "POST /api/v0/add",
    name: "uploadTextEncrypted",
    call: (kit) => kit.uploadTextEncrypted("hello", { apiKey, ...owner }),
    requests: expectUploadAndKeys(
      createUploadRequest("/api/v0/add?cid-version=1", [createPart("text.txt", "hello".length + saltIvAndTag)], {
        encryption: "true",
        "mime-type": "text/plain",
      }),
      "/api/setSharedKey",
      {},
    ),
    response: respondToUploadAndKeys,
    result: [storedEncrypted],
    profile: "upload",
    invalidMessage,
  },
  {
    endpoint: "POST /api/v0/dag/import",
    name: "uploadCar",
    call: (kit) => kit.uploadCar(new File(["car"], "site.car"), { apiKey }),
    requests: [createUploadRequest("/api/v0/dag/import", [createPart("site.car", "car")])],
    response: { ...stored, Name: "site.car" },
    result: [{ ...stored, Name: "site.car" }],
    profile: "upload",
    invalidMessage,
  },
  {
    endpoint: "POST /api/v0/cat/{cid}",
    name: "download",
    call: (kit) => kit.download(opaqueCid, { verifyCid: false }),
    requests: [{ method: "POST", url: `${endpoints.gateway}/api/v0/cat/${opaqueCid}`, headers: {} }],
    response: "a file",
    result: new TextEncoder().encode('"a file"'),
    profile: "gateway",
    invalidMessage: "",
  },
];
