import { execFile } from "node:child_process";
import { promisify } from "node:util";

const run = promisify(execFile);

/** Reads an archive with another program, which also checks its checksums: paths, texts (`null` for folders). */
const script = `
import json, sys, zipfile
with zipfile.ZipFile(sys.argv[1]) as archive:
    bad = archive.testzip()
    if bad is not None: raise SystemExit("damaged: " + bad)
    print(json.dumps({i.filename: None if i.is_dir() else archive.read(i)[:1000].decode() for i in archive.infolist()}))
`;

/** Returns what an archive has: the start of each file's text by its path, `null` for an empty folder. */
export async function readZip(path: string): Promise<Record<string, string | null>> {
  const { stdout } = await run("python3", ["-c", script, path], { maxBuffer: 64 * 1024 * 1024 });
  return JSON.parse(stdout) as Record<string, string | null>;
}
