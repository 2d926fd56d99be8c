import { createHash, createHmac, timingSafeEqual } from "node:crypto";
import type { IncomingMessage } from "node:http";

/** Who may use a bucket. */
export interface S3Credentials {
  accessKeyId: string;
  secretAccessKey: string;
}

const AUTHORIZATION =
  /^AWS4-HMAC-SHA256 Credential=([^/]+)\/(\d{8})\/([^/]+)\/s3\/aws4_request, SignedHeaders=([a-z0-9;-]+), Signature=([0-9a-f]{64})$/;

/** What S3 says of a signature: its code, and what else it repeats. */
export interface SignatureProblem {
  code: "AccessDenied" | "InvalidAccessKeyId" | "SignatureDoesNotMatch";
  details: Record<string, string>;
}

/** Checks the signature of a request (AWS Signature Version 4); `undefined` if it is right. */
export function findSignatureProblem(
  { method = "", url = "", headers }: IncomingMessage,
  { accessKeyId, secretAccessKey }: S3Credentials,
): SignatureProblem | undefined {
  const [, id, day, region, names = "", signature = ""] = AUTHORIZATION.exec(headers.authorization ?? "") ?? [];
  if (id === undefined || day === undefined || region === undefined) return { code: "AccessDenied", details: {} };
  if (id !== accessKeyId) return { code: "InvalidAccessKeyId", details: { AWSAccessKeyId: id } };
  const [path = "", query = ""] = url.split("?", 2);
  const canonical = [
    method,
    path,
    query.split("&").filter(Boolean).sort().join("&"),
    ...names.split(";").map((name) => `${name}:${String(headers[name] ?? "").trim()}`),
    "",
    names,
    headers["x-amz-content-sha256"],
  ].join("\n");
  const scope = `${day}/${region}/s3/aws4_request`;
  const hash = createHash("sha256").update(canonical).digest("hex");
  const toSign = ["AWS4-HMAC-SHA256", headers["x-amz-date"], scope, hash].join("\n");
  const key = [day, region, "s3", "aws4_request", toSign].reduce<string | Buffer>(
    (secret, text) => createHmac("sha256", secret).update(text).digest(),
    `AWS4${secretAccessKey}`,
  );
  if (timingSafeEqual(Buffer.from(key as Buffer), Buffer.from(signature, "hex"))) return undefined;
  const details = { AWSAccessKeyId: id, StringToSign: toSign, SignatureProvided: signature };
  return { code: "SignatureDoesNotMatch", details };
}
