import { expect } from "vitest";
import { samples } from "../../access-conditions/samples.ts";
import { cidOf } from "../../support/stored-rows.ts";
import { address, apiKey, bearer, cid, endpoints, type FormPart, jwt, type Row, type Wire } from "../row.ts";

const owner = { address, authToken: jwt };
const stored = { Name: "a.txt", Hash: cid, Size: "5" };
const misread = "The upload node's response names no file";
const saltIvAndTag = 44;

function part(filename: string, content: string | number): FormPart {
  return {
    disposition: `form-data; name="file"; filename="${filename}"`,
    type: "application/octet-stream",
    content,
  };
}

function toUploadNode(pathAndQuery: string, form: FormPart[], headers: Wire["headers"] = {}): Wire {
  return {
    method: "POST",
    url: `${endpoints.upload}${pathAndQuery}`,
    headers: { ...bearer, ...headers },
    body: { form },
  };
}

/** The upload, then five requests that save a key: its shards are drawn anew each time, all else is to the letter. */
function thenKeys(
  upload: Wire,
  path: string,
  json: Readonly<Record<string, unknown>>,
): (sent: readonly Wire[]) => Promise<Wire[]> {
  return async (sent) => {
    const storedAt = await cidIn(sent[0]);
    return [
      upload,
      ...[1, 2, 3, 4, 5].map((node) => ({
        method: "POST",
        url: `${endpoints.keyNodes}${path}/${node}`,
        headers: { authorization: `Bearer ${jwt}` },
        body: { json: { address, cid: storedAt, ...json, payload: shardIn(sent[node]) } },
      })),
    ];
  };
}

/** The content id of the only file of an upload. */
async function cidIn(wire: Wire | undefined): Promise<string> {
  const [file] = wire?.body && "form" in wire.body ? wire.body.form : [];
  return cidOf(Buffer.from(String(file?.content), "latin1"));
}

function shardIn(wire: Wire | undefined): unknown {
  const { payload } = (wire?.body && "json" in wire.body ? wire.body.json : {}) as { payload?: unknown };
  const element = expect.stringMatching(/^[0-9a-f]{64}$/);
  expect(payload).toEqual({ key: element, index: element });
  return payload;
}

const uploadedThenSaved = async (wire: Wire) =>
  wire.url.includes("/add") ? [{ ...stored, Hash: await cidIn(wire) }] : { message: "success" };

const storedEncrypted = { ...stored, Hash: expect.stringMatching(/^bafkrei/) };

export const fileRows: Row[] = [
  {
    of: "POST /api/v0/add",
    name: "upload of one file",
    call: (kit) => kit.upload(new File(["hello"], 'a "b".txt'), { apiKey }),
    sends: [toUploadNode("/api/v0/add?cid-version=1", [part("a %22b%22.txt", "hello")])],
    answers: stored,
    gives: [stored],
    failsLike: "upload",
    misread,
  },
  {
    of: "POST /api/v0/add",
    name: "upload of several files, one of which says its type",
    call: (kit) =>
      kit.upload([new File(["hello"], "a.txt", { type: "text/plain" }), new File([], "b.txt")], { apiKey }),
    sends: [
      toUploadNode("/api/v0/add?cid-version=1&wrap-with-directory=false", [
        { ...part("a.txt", "hello"), type: "text/plain" },
        part("b.txt", ""),
      ]),
    ],
    answers: [stored, { ...stored, Name: "b.txt" }],
    gives: [stored, { ...stored, Name: "b.txt" }],
    failsLike: "upload",
    misread,
  },
  {
    of: "POST /api/v0/add",
    name: "upload of several files into a folder",
    call: (kit) =>
      kit.upload([new File(["hello"], "a.txt"), new File([], "b.txt")], {
        apiKey,
        cidVersion: 0,
        wrapWithDirectory: true,
      }),
    sends: [
      toUploadNode("/api/v0/add?cid-version=0&wrap-with-directory=true", [part("a.txt", "hello"), part("b.txt", "")]),
    ],
    answers: { ...stored, Name: "" },
    gives: [{ ...stored, Name: "" }],
    failsLike: "upload",
    misread,
  },
  {
    of: "POST /api/v0/add",
    name: "uploadText",
    call: (kit) => kit.uploadText("grüße", { apiKey }),
    sends: [toUploadNode("/api/v0/add?cid-version=1", [part("text.txt", "grüße")])],
    answers: stored,
    gives: [stored],
    failsLike: "upload",
    misread,
  },
  {
    of: "POST /api/v0/add",
    name: "uploadBuffer",
    call: (kit) => kit.uploadBuffer(new Uint8Array([104, 105]), { apiKey }),
    sends: [toUploadNode("/api/v0/add?cid-version=1", [part("blob", "hi")])],
    answers: stored,
    gives: [stored],
    failsLike: "upload",
    misread,
  },
  {
    of: "POST /api/v0/add",
    name: "uploadEncrypted",
    call: (kit) => kit.uploadEncrypted(new File(["hello"], "a.bin"), { apiKey, ...owner }),
    sends: thenKeys(
      toUploadNode("/api/v0/add?cid-version=1", [part("a.bin", "hello".length + saltIvAndTag)], { encryption: "true" }),
      "/api/setSharedKey",
      {},
    ),
    answers: uploadedThenSaved,
    gives: [storedEncrypted],
    failsLike: "upload",
    misread,
  },
  {
    of: "POST /api/v0/add",
    name: "uploadEncrypted under conditions",
    call: (kit) =>
      kit.uploadEncrypted(new File(["hello"], "a.bin"), {
        apiKey,
        ...owner,
        conditions: [samples.token],
        decryptionType: "ACCESS_CONDITIONS",
      }),
    sends: thenKeys(
      toUploadNode("/api/v0/add?cid-version=1", [part("a.bin", "hello".length + saltIvAndTag)], { encryption: "true" }),
      "/api/fileAccessConditions",
      { conditions: [samples.token], decryptionType: "ACCESS_CONDITIONS", chainType: "EVM" },
    ),
    answers: uploadedThenSaved,
    gives: [storedEncrypted],
    failsLike: "upload",
    misread,
  },
  {
    of: "POST /api/v0/add",
    name: "uploadTextEncrypted",
    call: (kit) => kit.uploadTextEncrypted("hello", { apiKey, ...owner }),
    sends: thenKeys(
      toUploadNode("/api/v0/add?cid-version=1", [part("text.txt", "hello".length + saltIvAndTag)], {
        encryption: "true",
        "mime-type": "text/plain",
      }),
      "/api/setSharedKey",
      {},
    ),
    answers: uploadedThenSaved,
    gives: [storedEncrypted],
    failsLike: "upload",
    misread,
  },
  {
    of: "POST /api/v0/dag/import",
    name: "uploadCar",
    call: (kit) => kit.uploadCar(new File(["car"], "site.car"), { apiKey }),
    sends: [toUploadNode("/api/v0/dag/import", [part("site.car", "car")])],
    answers: { ...stored, Name: "site.car" },
    gives: [{ ...stored, Name: "site.car" }],
    failsLike: "upload",
    misread,
  },
  {
    of: "POST /api/v0/cat/{cid}",
    name: "download",
    call: (kit) => kit.download(cid),
    sends: [{ method: "POST", url: `${endpoints.gateway}/api/v0/cat/${cid}`, headers: {} }],
    answers: "a file",
    gives: new TextEncoder().encode('"a file"'),
    failsLike: "gateway",
    misread: "",
  },
];
