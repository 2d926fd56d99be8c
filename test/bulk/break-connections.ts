import pg from "pg";

/** Breaks the connections of all ledgers of a database, or those for which a condition holds; returns how many. */
export async function breakConnections(url: string, condition = "true"): Promise<number> {
  const client = new pg.Client(url);
  await client.connect();
  try {
    const { rowCount } = await client.query(
      `select pg_terminate_backend(pid) from pg_stat_activity where application_name = 'keeplight' and ${condition}`,
    );
    return rowCount ?? 0;
  } finally {
    await client.end();
  }
}
