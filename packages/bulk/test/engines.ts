import { afterAll, beforeAll } from "vitest";
import { startPostgres, startRedis, type TestDatabase } from "../../../test/support/databases.ts";

/** What runs plans: this process, or BullMQ on a database. */
export type EngineName = "embedded" | "Redis" | "PostgreSQL";

export const engineNames: readonly EngineName[] = ["embedded", "Redis", "PostgreSQL"];

/** Starts the databases for all tests of a file. */
export function databasesForTests(): { connectionOf(engine: "Redis" | "PostgreSQL"): string; ledger(): string } {
  let postgres: TestDatabase | undefined;
  let redis: TestDatabase | undefined;
  beforeAll(async () => {
    [postgres, redis] = await Promise.all([startPostgres(), startRedis()]);
  });
  afterAll(async () => {
    await Promise.all([postgres?.stop(), redis?.stop()]);
  });
  return {
    connectionOf: (engine) => (engine === "Redis" ? redis?.url : postgres?.url) ?? "",
    ledger: () => postgres?.url ?? "",
  };
}
