import { startPostgres, startRedis } from "./databases.ts";

// A process that starts the databases of tests, and waits until it is killed.
const [postgres, redis] = await Promise.all([startPostgres(), startRedis()]);
process.send?.({ postgres: postgres.url, redis: redis.url });
