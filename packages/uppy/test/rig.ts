import "../../../test/support/few-iterations-in-page.ts";
import { type UploadResult, Uppy } from "@uppy/core";
import { Wallet } from "ethers";
import { decrypt, type KeeplightError, openJournal } from "keeplight";
import { getEntries } from "keeplight/parts";
import { inject, onTestFinished } from "vitest";
import { KeeplightUploader, type KeeplightUploaderBody, type KeeplightUploaderOptions } from "../src/index.ts";
import type { ServerOfPage } from "./browser-setup.ts";
import type { UploadServer } from "./upload-server.ts";

const started = await fetch(inject("uppyServers"));
const { endpoint, endpoints, control: controlUrl } = (await started.json()) as ServerOfPage;

type Controls = Omit<UploadServer, "devnet" | "origin" | "endpoint" | "control" | "close">;
type Meta = Record<string, unknown>;

/** Calls the server of the tests. */
export async function control<Name extends keyof Controls>(
  name: Name,
  ...values: Parameters<Controls[Name]>
): Promise<Awaited<ReturnType<Controls[Name]>>> {
  const response = await fetch(controlUrl, { method: "POST", body: JSON.stringify({ name, values }) });
  return response.json();
}

/** Has the server misbehave until the test ends. */
export async function addFault(fault: Parameters<Controls["addFault"]>[0]): Promise<void> {
  onTestFinished(() => control("clearFaults"));
  await control("addFault", fault);
}

/** Lists the requests to uploads from now on. */
export async function watchUploads() {
  const before = (await control("listRequests")).length;
  return async (method?: string) => {
    const all = (await control("listRequests")).slice(before);
    return method === undefined ? all : all.filter((request) => request.method === method);
  };
}

export const SIZE = 700_000;
export const CHUNK = 100_000;

let names = 0;

/** Returns a name that no other file of this run has. */
export const newName = (): string => `letter ${Date.now()} ${++names}.txt`;

/** Creates a file of random bytes, or of these. */
export function makeFile(name = newName(), bytes: Uint8Array<ArrayBuffer> = randomBytes(SIZE)): File {
  return new File([bytes], name, { type: "application/x-letter", lastModified: 1_700_000_000_000 });
}

export function randomBytes(size: number): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(size);
  for (let at = 0; at < size; at += 65_536) crypto.getRandomValues(bytes.subarray(at, at + 65_536));
  return bytes;
}

/** Returns SHA-256 in hex digits: comparing the bytes themselves takes seconds. */
export async function digest(bytes: Blob | Uint8Array<ArrayBuffer>): Promise<string> {
  const data = bytes instanceof Blob ? await bytes.arrayBuffer() : bytes;
  const hash = new Uint8Array(await crypto.subtle.digest("SHA-256", data));
  return Array.from(hash, (byte) => byte.toString(16).padStart(2, "0")).join("");
}

export type TestUppy = Uppy<Meta, KeeplightUploaderBody>;

/** An account with a journal, whose pages come and go. */
export async function newPerson() {
  const signer = Wallet.createRandom();
  const journal = await openJournal({ name: `uppy ${signer.address}` });

  /** Opens an Uppy, as a page does. */
  function openUppy(options: Partial<KeeplightUploaderOptions> = {}): TestUppy {
    const uppy = new Uppy<Meta, KeeplightUploaderBody>({ logger: { debug() {}, warn() {}, error() {} } });
    uppy.use(KeeplightUploader, {
      endpoint,
      endpoints,
      signer,
      journal,
      headers: { Authorization: "Bearer page" },
      chunkBytes: CHUNK,
      pauseMs: 0,
      retryMs: 0,
      attempts: 1,
      retryDelays: [50, 100, 200, 400, 800],
      ...options,
    } as KeeplightUploaderOptions);
    return uppy;
  }

  return {
    signer,
    journal,
    openUppy,
    /** Lists what the journal has of the plugin's uploads, which `journal.list` leaves to it. */
    listEntries: () => getEntries(journal).list(),
    /** Uploads a file with an Uppy of its own; returns its content id, or throws its error. */
    async upload(file: File, options: Partial<KeeplightUploaderOptions> = {}): Promise<string> {
      const watched = watchUppy(openUppy(options));
      await watched.upload([file]);
      const [error] = watched.errors;
      if (error) throw error;
      return watched.successes[0] ?? "";
    },
    /** Uploads a file as a page does whose upload fails; returns the error. */
    async fail(file: File, options: Partial<KeeplightUploaderOptions> = {}): Promise<KeeplightError | undefined> {
      const watched = watchUppy(openUppy({ retryDelays: [], ...options } as Partial<KeeplightUploaderOptions>));
      await watched.upload([file]);
      return watched.errors[0];
    },
    /** Decrypts a stored file, also as somebody else; returns what {@link digest} does of its bytes. */
    read: async (cid: string, by = signer) => digest(await decrypt(cid, { signer: by, endpoints, pauseMs: 0 })),
  };
}

/** What an Uppy has reported. */
interface WatchedUppy {
  errors: KeeplightError[];
  progress: number[];
  successes: string[];
  upload(files: readonly File[]): Promise<UploadResult<Meta, KeeplightUploaderBody> | undefined>;
}

export function watchUppy(uppy: TestUppy): WatchedUppy {
  const watched: WatchedUppy = {
    errors: [],
    progress: [],
    successes: [],
    upload(files) {
      for (const file of files) uppy.addFile(file);
      return uppy.upload();
    },
  };
  uppy.on("upload-error", (_, error) => void watched.errors.push(error as unknown as KeeplightError));
  uppy.on("upload-progress", (_, { bytesUploaded }) => void watched.progress.push(bytesUploaded));
  uppy.on("upload-success", (_, { body }) => void watched.successes.push(body?.cid ?? ""));
  return watched;
}
