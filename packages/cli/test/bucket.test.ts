import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { readObject } from "../../../test/support/s3-objects.ts";
import { BUCKET, type S3Server, startS3Server } from "../../../test/support/s3-server.ts";
import { type Person, rigForTests } from "./rig.ts";
import { findUndocumented } from "./schema.ts";

// Buckets are planned, sent and backed up with the credentials that the environment has.

const rig = rigForTests();

const keys = ["2026/a.txt", "2026/b/c d+e.txt", "2026/b/é", "2025/old.txt"];

let server: S3Server;
let person: Person;
let env: Record<string, string>;
beforeAll(async () => {
  server = await startS3Server({ keys });
  person = await rig().createPerson();
  const { accessKeyId, secretAccessKey } = server.credentials;
  // The SDK looks for no other credentials.
  const nowhere = { AWS_EC2_METADATA_DISABLED: "true", AWS_CONFIG_FILE: "none", AWS_SHARED_CREDENTIALS_FILE: "none" };
  env = { ...nowhere, AWS_ACCESS_KEY_ID: accessKeyId, AWS_SECRET_ACCESS_KEY: secretAccessKey };
});
afterAll(() => server.close());

const getBytes = (key: string) => {
  const object = server.objects.find(key);
  return object && readObject(object);
};

test("a folder of a bucket is planned and sent, by an endpoint that an option names, and continued", async () => {
  const at = ["--s3-endpoint", server.endpoint];
  const planned = await person.events(["bulk", "plan", `s3://${BUCKET}/2026`, ...at], { env });
  expect(planned.at(-1)).toMatchObject({ event: "result", files: 3, folder: join(person.cwd, "2026.plan") });
  const run = await person.events(["bulk", "run", "2026.plan", ...at], { env });
  expect(findUndocumented("bulk run", run)).toEqual([]);
  expect(run.at(-1)).toMatchObject({ event: "result", filesDone: 3, setAside: 0, state: "done" });
  const reads = server.requests.length;
  expect((await person.events(["bulk", "run", "2026.plan", ...at], { env })).at(-1)).toMatchObject({ filesDone: 3 });
  expect(server.requests.length).toBe(reads);
});

test("credentials that are refused end a plan, and no output has them", async () => {
  const wrong = { ...env, AWS_ENDPOINT_URL: server.endpoint, AWS_SECRET_ACCESS_KEY: "a-wrong-secret-of-somebody" };
  const { code, stdout, stderr } = await person.run(["bulk", "plan", `s3://${BUCKET}`, "--json"], { env: wrong });
  expect(code).toBe(1);
  const id = server.credentials.accessKeyId;
  expect(stdout).toContain("SignatureDoesNotMatch");
  for (const secret of [id, "a-wrong-secret-of-somebody"]) expect(stdout + stderr).not.toContain(secret);
});

test("a bucket is backed up by an endpoint of the environment, and restored", async () => {
  const aws = { ...env, AWS_ENDPOINT_URL_S3: server.endpoint };
  const preview = await person.events(["backup", `s3://${BUCKET}`, "--dry-run"], { env: aws });
  expect(preview.at(-1)).toMatchObject({ files: 4, filesToRead: 4 });
  const backup = await person.events(["backup", `s3://${BUCKET}`, "--exclude", "2025/"], { env: aws });
  expect(findUndocumented("backup", backup)).toEqual([]);
  expect(backup.at(-1)).toMatchObject({ files: 3, skipped: 0, root: "s3://datasets/", host: "" });
  const { cid } = backup.at(-1) as { cid?: string };
  await person.events(["restore", `${cid}`, "restored"]);
  for (const key of keys.slice(0, 3)) {
    expect(getBytes(key)?.equals(await readFile(join(person.cwd, "restored", key)))).toBe(true);
  }
  const again = await person.events(["backup", `s3://${BUCKET}`, "--exclude", "2025/"], { env: aws });
  expect(again.at(-1)).toMatchObject({ cid, isUnchanged: true });
  const forget = async (folder: string) =>
    (await person.events(["forget", "--keep-last", "1", "--folder", folder, "--dry-run"])).at(-1);
  for (const folder of [`s3://${BUCKET}`, `s3://${BUCKET}/`]) expect(await forget(folder)).toMatchObject({ kept: 1 });
  expect(await forget(`s3://${BUCKET}/2026`)).toMatchObject({ kept: 0 });
});

test("a schedule names a bucket as it is", async () => {
  const call = ["schedule", `s3://${BUCKET}/2026`];
  const options = ["--region", "eu-central-1", "--s3-endpoint", server.endpoint];
  const cron = `backup s3://${BUCKET}/2026/ --s3-endpoint ${server.endpoint} --region eu-central-1 --quiet`;
  const expected = { cron: expect.stringMatching(new RegExp(`${cron}$`)) };
  const events = await person.events([...call, ...options]);
  expect(findUndocumented("schedule", events)).toEqual([]);
  expect(events.at(-1)).toMatchObject(expected);
  // What runs it later has another environment.
  const aws = { AWS_REGION: "eu-central-1", AWS_ENDPOINT_URL_S3: server.endpoint };
  expect((await person.events(call, { env: aws })).at(-1)).toMatchObject(expected);
});

test("what is no bucket is refused", async () => {
  for (const args of [
    ["bulk", "plan", "s3://"],
    ["bulk", "plan", `s3://${BUCKET}`, "--manifest", "files.jsonl"],
    ["backup", "s3:///2026"],
  ]) {
    const events = await person.events(args, { env, code: 1 });
    expect(events.at(-1)).toMatchObject({ event: "error", code: "USAGE" });
  }
});
