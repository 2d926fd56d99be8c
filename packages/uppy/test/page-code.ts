import { Uppy } from "@uppy/core";
import { Wallet } from "ethers";
import { type Endpoints, openJournal } from "keeplight";
import { createRandom } from "../../../test/simulation/random.ts";
import { KeeplightUploader, type KeeplightUploaderBody, type KeeplightUploaderOptions } from "../src/index.ts";

// Runs in a page: uploads files by an Uppy, and tells the test's server what becomes of them.

/** Whose page it is, and where it uploads to. */
export interface PageSetup {
  endpoints: Endpoints;
  /** URL of the controls of the test's server. */
  control: string;
  privateKey: string;
  chunkBytes: number;
  retryDelays: number[];
}

/** A file that the page makes: of random bytes, which follow from its name and its version. */
export interface PageFile {
  name: string;
  size: number;
  version: number;
}

/** What the page tells. */
export interface PageEvent {
  name: string;
  version: number;
  /** Content id, or why the upload has failed. */
  cid?: string;
  error?: string;
}

const DATE = 1_700_000_000_000;

/** The bytes of a file. Another version differs from some byte on. */
export function bytesOf({ name, size, version }: PageFile): Uint8Array<ArrayBuffer> {
  const bytes = createRandom(name).fill(new Uint8Array(size));
  if (version > 0) createRandom(`${name} ${version}`).fill(bytes.subarray(createRandom(`${version}`).below(size)));
  return bytes;
}

async function openUppy({ endpoints, privateKey, chunkBytes, retryDelays }: PageSetup) {
  const uppy = new Uppy<Record<string, unknown>, KeeplightUploaderBody>();
  uppy.use(KeeplightUploader, {
    endpoint: "/api/uploads",
    endpoints,
    signer: new Wallet(privateKey),
    journal: await openJournal({ name: "uploads" }),
    headers: { Authorization: "Bearer page" },
    chunkBytes,
    retryDelays,
    pauseMs: 0,
    retryMs: 0,
  } as KeeplightUploaderOptions);
  return uppy;
}

const tell = (setup: PageSetup, event: PageEvent) =>
  fetch(setup.control, { method: "POST", body: JSON.stringify({ name: "tell", values: [event] }) });

/** Uploads files, and resolves once the server knows what has become of all of them. */
export async function upload(setup: PageSetup, files: readonly PageFile[]): Promise<void> {
  const uppy = await openUppy(setup);
  const telling: Promise<unknown>[] = [];
  const versionOf = (name: string) => files.find((file) => file.name === name)?.version ?? -1;
  uppy.on("upload-success", (file, { body }) => {
    const { name = "" } = file ?? {};
    telling.push(tell(setup, { name, version: versionOf(name), cid: body?.cid ?? "" }));
  });
  uppy.on("upload-error", (file, error) => {
    const { name = "" } = file ?? {};
    telling.push(tell(setup, { name, version: versionOf(name), error: String(error) }));
  });
  for (const file of files) uppy.addFile(new File([bytesOf(file)], file.name, { lastModified: DATE }));
  await uppy.upload();
  await Promise.all(telling);
}

/** Uploads the file of the page's field; resolves to its content id. */
export async function uploadPicked(setup: PageSetup): Promise<string> {
  const uppy = await openUppy(setup);
  const input = document.querySelector("input");
  const [file] = input?.files ?? [];
  if (!file) throw new Error("No file is picked");
  uppy.addFile(file);
  const result = await uppy.upload();
  const [failed] = result?.failed ?? [];
  if (failed) throw new Error(failed.error ?? "failed");
  return result?.successful?.[0]?.response?.body?.cid ?? "";
}
