import { onTestFinished } from "vitest";
import { getEtag, readObject } from "../../../test/support/s3-objects.ts";
import { type S3Server, type S3ServerOptions, startS3Server } from "../../../test/support/s3-server.ts";
import type { S3File, S3Source, S3SourceOptions } from "../src/index.ts";
import { openSource } from "./client.ts";

/** Starts a server with one bucket for the running test, and opens the source of it. */
export async function openBucket({ keys, pageSize, ...options }: S3ServerOptions & Partial<S3SourceOptions> = {}) {
  const server = await startS3Server({ ...(keys ? { keys } : {}), ...(pageSize ? { pageSize } : {}) });
  onTestFinished(() => server.close());
  return { server, source: openSource(server, options) };
}

/** Lists a source to its end: paths, and what was left out. */
export async function listAll(source: S3Source, after?: string) {
  const files: S3File[] = [];
  const skipped: { path: string; code: string }[] = [];
  for await (const file of source.list(after, (each) => void skipped.push(each))) files.push(file);
  return { files, paths: files.map(({ path }) => path), skipped };
}

const never = new AbortController().signal;

/** Reads an object to its end. */
export async function readAll(source: S3Source, file: S3File, signal: AbortSignal = never): Promise<Buffer> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of source.open(file, signal)) chunks.push(Buffer.from(chunk));
  return Buffer.concat(chunks);
}

/** Returns an object as a listing has it. */
export function toFile({ objects }: S3Server, key: string): S3File {
  const object = objects.find(key);
  if (!object) throw new Error(`There is no ${key}`);
  return { path: key, size: object.size, mtime: object.mtime, etag: getEtag(object) };
}

/** Returns the bytes that the server has. */
export function getBytes({ objects }: S3Server, key: string): Buffer {
  const object = objects.find(key);
  if (!object) throw new Error(`There is no ${key}`);
  return readObject(object);
}
