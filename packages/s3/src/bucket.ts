import type { S3Client } from "@aws-sdk/client-s3";
import { type Check, invalidOption, type OptionSchema, type Resolved, wholeNumber } from "keeplight/parts";

/** Options of `s3Source`. */
export interface S3SourceOptions {
  /** Name of the bucket, or the ARN of an access point. */
  bucket: string;
  /** Only what is below this folder; a `/` is added to its end. Paths start behind it. @default the whole bucket */
  prefix?: string | undefined;
  /** An `S3Client` of the AWS SDK: region, endpoint, credentials and the number of retries are its own. */
  client: Pick<S3Client, "send">;
  /** For how long the bucket may send nothing, in milliseconds, before a request is given up. @default 30,000 */
  idleMs?: number | undefined;
}

/** An object of a bucket, as a file. */
export interface S3File {
  /** Its key without the prefix. */
  path: string;
  /** Size in bytes. */
  size: number;
  /** When it was written, in milliseconds since 1970. */
  mtime?: number;
  /** Changes whenever its bytes do. */
  etag?: string;
}

const bucketName: Check<string> = (bucket, name) => {
  if (typeof bucket !== "string" || bucket.trim() === "") throw invalidOption(name, "the name of a bucket");
  return bucket;
};

const folderPrefix: Check<string> = (prefix = "", name) => {
  if (typeof prefix !== "string") throw invalidOption(name, "the start of keys, such as photos/2026/");
  return prefix === "" || prefix.endsWith("/") ? prefix : `${prefix}/`;
};

const clientCheck: Check<S3SourceOptions["client"]> = Object.assign(
  (client: unknown, name: string) => {
    const { send } = Object(client) as { send?: unknown };
    if (typeof send !== "function") throw invalidOption(name, "an S3Client of @aws-sdk/client-s3");
    return client as S3SourceOptions["client"];
  },
  { isReference: true as const },
);

export const bucketSchema = {
  bucket: bucketName,
  prefix: folderPrefix,
  client: clientCheck,
  idleMs: wholeNumber(30_000, 1),
} satisfies OptionSchema<S3SourceOptions>;

/** The options, checked. */
export type Bucket = Resolved<typeof bucketSchema>;
