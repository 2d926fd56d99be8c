import {
  download,
  upload,
  uploadBuffer,
  uploadEncrypted,
  uploadText,
  uploadTextEncrypted,
} from "../../../src/index.ts";
import { uploadCar } from "../../../src/storage/upload-car.ts";
import { address, apiKey, bearer, cid, endpoints, type FormPart, jwt, type Row, type Wire } from "../row.ts";

const owner = { address, authToken: jwt };
const stored = { Name: "a.txt", Hash: cid, Size: "5" };
const misread = "The upload node's answer names no file";
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

/** What keys are saved under is drawn anew each time, so only the upload is held to the letter. */
function thenKeys(wire: Wire): (sent: readonly Wire[]) => Wire[] {
  return (sent) => [wire, ...sent.slice(1)];
}

const uploadedThenSaved = ({ url }: { url: string }) => (url.includes("/add") ? [stored] : { message: "success" });

export const fileRows: Row[] = [
  {
    of: "POST /api/v0/add",
    name: "upload of one file",
    call: (options) => upload(new File(["hello"], 'a "b".txt'), { apiKey, ...options }),
    sends: [toUploadNode("/api/v0/add?cid-version=1", [part("a %22b%22.txt", "hello")])],
    answers: stored,
    gives: [stored],
    failsLike: "upload",
    misread,
  },
  {
    of: "POST /api/v0/add",
    name: "upload of several files",
    call: (options) => upload([new File(["hello"], "a.txt"), new File([], "b.txt")], { apiKey, ...options }),
    sends: [
      toUploadNode("/api/v0/add?cid-version=1&wrap-with-directory=false", [part("a.txt", "hello"), part("b.txt", "")]),
    ],
    answers: [stored, { ...stored, Name: "b.txt" }],
    gives: [stored, { ...stored, Name: "b.txt" }],
    failsLike: "upload",
    misread,
  },
  {
    of: "POST /api/v0/add",
    name: "upload of several files into a folder",
    call: (options) =>
      upload([new File(["hello"], "a.txt"), new File([], "b.txt")], {
        apiKey,
        cidVersion: 0,
        wrapWithDirectory: true,
        ...options,
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
    call: (options) => uploadText("grüße", { apiKey, ...options }),
    sends: [toUploadNode("/api/v0/add?cid-version=1", [part("text.txt", "grüße")])],
    answers: stored,
    gives: [stored],
    failsLike: "upload",
    misread,
  },
  {
    of: "POST /api/v0/add",
    name: "uploadBuffer",
    call: (options) => uploadBuffer(new Uint8Array([104, 105]), { apiKey, ...options }),
    sends: [toUploadNode("/api/v0/add?cid-version=1", [part("blob", "hi")])],
    answers: stored,
    gives: [stored],
    failsLike: "upload",
    misread,
  },
  {
    of: "POST /api/v0/add",
    name: "uploadEncrypted",
    call: (options) => uploadEncrypted(new File(["hello"], "a.txt"), { apiKey, ...owner, ...options }),
    sends: thenKeys(
      toUploadNode("/api/v0/add?cid-version=1", [part("a.txt", "hello".length + saltIvAndTag)], { encryption: "true" }),
    ),
    answers: uploadedThenSaved,
    gives: [stored],
    failsLike: "upload",
    misread,
  },
  {
    of: "POST /api/v0/add",
    name: "uploadTextEncrypted",
    call: (options) => uploadTextEncrypted("hello", { apiKey, ...owner, ...options }),
    sends: thenKeys(
      toUploadNode("/api/v0/add?cid-version=1", [part("text.txt", "hello".length + saltIvAndTag)], {
        encryption: "true",
        "mime-type": "text/plain",
      }),
    ),
    answers: uploadedThenSaved,
    gives: [stored],
    failsLike: "upload",
    misread,
  },
  {
    of: "POST /api/v0/dag/import",
    name: "uploadCar",
    call: (options) => uploadCar(new File(["car"], "site.car"), { apiKey, ...options }),
    sends: [toUploadNode("/api/v0/dag/import", [part("site.car", "car")])],
    answers: { ...stored, Name: "site.car" },
    gives: [{ ...stored, Name: "site.car" }],
    failsLike: "upload",
    misread,
  },
  {
    of: "POST /api/v0/cat/{cid}",
    name: "download",
    call: (options) => download(cid, options),
    sends: [{ method: "POST", url: `${endpoints.gateway}/api/v0/cat/${cid}`, headers: {} }],
    answers: "a file",
    gives: new TextEncoder().encode('"a file"'),
    failsLike: "gateway",
    misread: "",
  },
];
