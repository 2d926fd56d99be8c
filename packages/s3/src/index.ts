export type { S3File, S3SourceOptions } from "./bucket.ts";
export { type S3Source, s3Source } from "./s3-source.ts";
