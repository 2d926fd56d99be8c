import { basename, resolve } from "node:path";
import { env } from "node:process";
import { UsageError } from "../frame/failure.ts";
import type { Invocation } from "../frame/invocation.ts";

/** Whether a source is a bucket, or a folder of one, not of this machine. */
export const isBucket = (source: string): boolean => /^s3:\/\//i.test(source);

/** Returns the last name of the place of a bucket. */
export const getBucketName = (place: string): string => basename(readPlace(place).prefix) || readPlace(place).bucket;

/** Returns what a snapshot names as its folder: an absolute path, or the place of a bucket. */
export function toRoot(source: string): string {
  if (!isBucket(source)) return resolve(source);
  const { bucket, prefix } = readPlace(source);
  return `s3://${bucket}/${prefix === "" || prefix.endsWith("/") ? prefix : `${prefix}/`}`;
}

/**
 * Opens a bucket as a source, with the credentials that the AWS SDK finds. Loads the SDK, which nothing else does.
 *
 * @param place - `s3://bucket` or `s3://bucket/prefix`
 * @throws `UsageError` for another place, or if the packages are not installed
 */
export async function openBucket(invocation: Invocation, place: string) {
  const { bucket, prefix } = readPlace(place);
  const { S3Client, s3Source } = await load();
  const endpoint = getEndpoint(invocation);
  // Other servers than Amazon's seldom have a domain for each bucket, nor regions.
  const own = endpoint === undefined ? {} : { endpoint, forcePathStyle: true };
  const region = getRegion(invocation) ?? (endpoint === undefined ? undefined : "us-east-1");
  const client = new S3Client({ ...own, ...(region === undefined ? {} : { region }) });
  return s3Source({ bucket, prefix, client });
}

/** The server of a bucket, if an option or the environment names one. */
export const getEndpoint = ({ option }: Invocation): string | undefined =>
  option("s3Endpoint") ?? env["AWS_ENDPOINT_URL_S3"] ?? env["AWS_ENDPOINT_URL"];

export const getRegion = ({ option }: Invocation): string | undefined => option("region") ?? env["AWS_REGION"];

function readPlace(place: string): { bucket: string; prefix: string } {
  const [, bucket, prefix = ""] = /^s3:\/\/([^/]+)\/?(.*)$/is.exec(place) ?? [];
  if (bucket === undefined) throw new UsageError("A bucket is named like s3://bucket or s3://bucket/prefix");
  return { bucket, prefix };
}

async function load() {
  try {
    const [{ s3Source }, { S3Client }] = await Promise.all([import("@keeplight/s3"), import("@aws-sdk/client-s3")]);
    return { s3Source, S3Client };
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ERR_MODULE_NOT_FOUND") throw error;
    const hint = "npm i -g @keeplight/s3 @aws-sdk/client-s3";
    throw new UsageError("A bucket requires two packages that are not installed", "UNSUPPORTED", hint);
  }
}
