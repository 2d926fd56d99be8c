import { resolveOptions } from "keeplight/parts";
import { bucketSchema, type S3File, type S3SourceOptions } from "./bucket.ts";
import { listObjects } from "./list-objects.ts";
import { createReader } from "./read-object.ts";
import { createRequests } from "./requests.ts";

/** The objects of a bucket, as the source of `planBulk`, `runBulk` or `backupFolder`. */
export interface S3Source {
  /** `s3://bucket/prefix/`. */
  readonly place: string;
  /**
   * Lists the objects in the order of their keys in UTF-8, but for the empty ones with a `/` at the end, which stand for folders.
   *
   * @param after - path of the object behind which the list starts. Default from the start
   * @param onSkipped - receives objects whose keys are no paths. Default none: the first one ends the list with `INVALID_SOURCE`
   * @param signal - ends the list. Default none
   * @throws `NETWORK`, `TIMEOUT`, `HTTP_STATUS` while the bucket cannot be reached; `SOURCE_UNREADABLE` if it refuses to be listed;
   * `INVALID_SOURCE`, `ABORTED`
   */
  list(
    after?: string,
    onSkipped?: (skipped: { path: string; code: string }) => void,
    signal?: AbortSignal,
  ): AsyncIterable<S3File>;
  /**
   * Reads an object from the start, if it is as it was listed.
   *
   * @throws `SOURCE_CHANGED` if it is not; `SOURCE_UNREADABLE`, whose `details.name` is `place` if no object can be read;
   * `NETWORK`, `TIMEOUT`, `HTTP_STATUS` while the bucket cannot be reached; `ABORTED`
   */
  open(file: S3File, signal: AbortSignal): AsyncIterable<Uint8Array>;
}

/**
 * Creates the source of a bucket, for `@keeplight/bulk` and `@keeplight/backup`: of each object its latest version. Sends no
 * request yet. Nothing is written to the bucket: `s3:ListBucket` and `s3:GetObject` are enough.
 *
 * @throws `INVALID_OPTION`
 *
 * @example
 * const source = s3Source({ bucket: "photos", prefix: "2026", client: new S3Client({ region: "eu-central-1" }) });
 * const { plan } = await planBulk(source, { folder: "./photos.plan" });
 */
export function s3Source(options: S3SourceOptions): S3Source {
  const bucket = resolveOptions(bucketSchema, options);
  const place = `s3://${bucket.bucket}/${bucket.prefix}`;
  const requests = createRequests(bucket, place);
  const { read } = createReader(requests);
  return {
    place,
    list: (after, onSkipped, signal) => listObjects(requests, { after, onSkipped, signal }),
    open: read,
  };
}
