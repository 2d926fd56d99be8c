import { S3Client, type S3ClientConfig } from "@aws-sdk/client-s3";
import { BUCKET, REGION, type S3Server } from "../../../test/support/s3-server.ts";
import { type S3SourceOptions, s3Source } from "../src/index.ts";

/** Creates a client of the AWS SDK that tries each request once. */
export function createClient({ endpoint, credentials }: S3Server, options: S3ClientConfig = {}): S3Client {
  return new S3Client({ endpoint, region: REGION, credentials, forcePathStyle: true, maxAttempts: 1, ...options });
}

/** Opens the bucket of a server as a source. */
export function openSource(server: S3Server, options: Partial<S3SourceOptions> = {}) {
  return s3Source({ bucket: BUCKET, client: createClient(server), ...options });
}
