import { execFileSync } from "node:child_process";
import pg from "pg";

/** Until the server has ended a connection, in milliseconds. */
const END_MS = 60_000;

/** Ends the connections of all ledgers of a database, or those for which a condition holds; returns how many, once they are gone. */
export async function breakConnections(url: string, condition = "true"): Promise<number> {
  const client = new pg.Client(url);
  await client.connect();
  try {
    return (await client.query(toQuery(condition))).rowCount ?? 0;
  } finally {
    await client.end();
  }
}

/** The same for all of them, before this process can notice it. */
export function breakConnectionsUnnoticed(url: string): void {
  const program = `import pg from "pg";
const client = new pg.Client(process.argv[1]);
await client.connect();
await client.query(process.argv[2]);
await client.end();`;
  execFileSync(process.execPath, ["--input-type=module", "-e", program, url, toQuery("true")]);
}

function toQuery(condition: string): string {
  return `select pg_terminate_backend(pid, ${END_MS}) from pg_stat_activity where application_name = 'keeplight' and ${condition}`;
}
