import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll } from "vitest";

/** Creates a folder for what the services store, while the tests of a file run. */
export function dataDirForTests(): () => string {
  let dataDir = "";
  beforeAll(async () => {
    dataDir = await mkdtemp(join(tmpdir(), "keeplight-simulation-"));
  });
  afterAll(() => rm(dataDir, { recursive: true, force: true }));
  return () => dataDir;
}
