import { platform } from "node:process";
import { ListObjectsV2Command, type ListObjectsV2Output } from "@aws-sdk/client-s3";
import { invalidSource } from "keeplight/parts";
import type { S3File } from "./bucket.ts";
import type { Requests } from "./requests.ts";

interface ListOptions {
  /** Path of the object behind which the list starts. */
  after?: string | undefined;
  onSkipped?: ((skipped: { path: string; code: string }) => void) | undefined;
  signal?: AbortSignal | undefined;
}

/** Yields the objects of a bucket, page after page; see `S3Source`. */
export async function* listObjects(
  requests: Requests,
  { after, onSkipped, signal }: ListOptions,
): AsyncGenerator<S3File> {
  const { prefix, place } = requests;
  const keys = createOrderCheck(place, after === undefined ? undefined : prefix + after);

  function skip(path: string): void {
    const error = invalidSource(`the key ${path} is no path`, { name: path });
    if (!onSkipped) throw error;
    onSkipped({ path, code: error.code });
  }

  for await (const page of listPages(requests, keys.last(), signal)) {
    for (const { Key = "", Size: size = -1, LastModified, ETag: etag } of page.Contents ?? []) {
      const key = page.EncodingType === "url" ? decodeKey(Key) : Key;
      if (key === undefined) {
        skip(Key);
        continue;
      }
      keys.add(key);
      if (!key.startsWith(prefix)) throw malformed(place, "has a key without the prefix");
      if (!Number.isSafeInteger(size) || size < 0) throw malformed(place, "has an object without a size");
      const path = key.slice(prefix.length);
      const isFolder = size === 0 && (path === "" || path.endsWith("/"));
      if (isFolder) continue;
      const mtime = LastModified?.getTime() ?? Number.NaN;
      if (!isPath(path)) skip(path || key);
      else yield { path, size, ...(Number.isNaN(mtime) ? {} : { mtime }), ...(etag === undefined ? {} : { etag }) };
    }
  }
}

async function* listPages(
  { bucket: Bucket, prefix, place, client, send }: Requests,
  StartAfter: string | undefined,
  signal: AbortSignal | undefined,
): AsyncGenerator<ListObjectsV2Output> {
  // XML has no names for control characters.
  const input = { Bucket, Prefix: prefix, EncodingType: "url" as const };
  let start: { StartAfter?: string; ContinuationToken?: string } = StartAfter === undefined ? {} : { StartAfter };
  for (;;) {
    const command = new ListObjectsV2Command({ ...input, ...start });
    const page = await send("ListObjectsV2", signal, (options) => client.send(command, options));
    yield page;
    if (!page.IsTruncated) return;
    const { NextContinuationToken } = page;
    if (NextContinuationToken === undefined || NextContinuationToken === start.ContinuationToken)
      throw malformed(place, "is cut off");
    start = { ContinuationToken: NextContinuationToken };
  }
}

/** Lists the first keys below the prefix, one page of a few. */
export async function listSomeKeys(
  { bucket: Bucket, prefix: Prefix, client, send }: Requests,
  count: number,
  signal: AbortSignal | undefined,
): Promise<string[]> {
  const command = new ListObjectsV2Command({ Bucket, Prefix, EncodingType: "url", MaxKeys: count });
  const page = await send("ListObjectsV2", signal, (options) => client.send(command, options));
  const isEncoded = page.EncodingType === "url";
  return (page.Contents ?? []).flatMap(({ Key = "" }) => (isEncoded ? decodeKey(Key) : Key) ?? []);
}

/**
 * Creates what checks that keys are listed in the order of their UTF-8, each once: a list is continued behind the last one, and
 * would lose objects otherwise. Directory buckets have another order.
 */
function createOrderCheck(place: string, start: string | undefined) {
  let last = start;
  return {
    last: () => last,
    add(key: string): void {
      const isBehind = last === undefined || Buffer.compare(Buffer.from(last), Buffer.from(key)) < 0;
      if (!isBehind) throw malformed(place, "is not in the order of keys");
      last = key;
    },
  };
}

const malformed = (place: string, problem: string) => invalidSource(`the list of ${place} ${problem}`, { name: place });

/** Decodes a key as forms are encoded; `undefined` if it is not UTF-8. */
function decodeKey(encoded: string): string | undefined {
  try {
    return decodeURIComponent(encoded.replaceAll("+", " "));
  } catch {
    return undefined;
  }
}

/** Parts that are empty, `.` or `..`. */
const BAD_PART = /(^|\/)\.{0,2}(\/|$)/;

function isPath(path: string): boolean {
  // On Windows a backslash separates folders.
  const isSplit = platform === "win32" && path.includes("\\");
  return !BAD_PART.test(path) && !/[\0\uD800-\uDFFF]/u.test(path) && !isSplit;
}
