import { readdir } from "node:fs/promises";

/** Lists the files and folders below a data folder, without those of the network's state. */
export async function listContent(dataDir: string): Promise<string[]> {
  const paths = await readdir(dataDir, { recursive: true });
  return paths.filter((path) => path !== "state.jsonl" && !path.startsWith("lock."));
}
