import { execFile } from "node:child_process";
import { mkdir, readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { howToOpen } from "../src/paper.ts";

const execute = promisify(execFile);

/** A script of the page "how to open this without keeplight", as printed. */
function scriptOf(name: string): string {
  const [, script] = new RegExp(`^----- ${name} -----\n(.*?)^-----`, "ms").exec(howToOpen) ?? [];
  if (!script) throw new Error(`the page has no ${name}`);
  return script;
}

/** Runs a script of the page. */
export async function runScript(folder: string, name: string, args: readonly string[]): Promise<string> {
  await writeFile(join(folder, name), scriptOf(name));
  const { stdout } = await execute("python3", [join(folder, name), ...args], { maxBuffer: 1e8 });
  return stdout;
}

/** The shell command of the page that decrypts a folder. */
export function folderCommand(): string {
  const [, command] = /^ *(for kit in .*? > keys\.jsonl) /m.exec(howToOpen) ?? [];
  if (!command) throw new Error("the page has no command for a folder");
  return command;
}

/** Decrypts files of a kit as the page says: by Debian's age, with an identity. */
async function decryptKit(folder: string, kits: readonly string[], identity: string): Promise<string> {
  await writeFile(join(folder, "identity.txt"), `${identity}\n`, { mode: 0o600 });
  let lines = "";
  for (const kit of kits) {
    const { stdout } = await execute("age", ["-d", "-i", join(folder, "identity.txt"), kit], { maxBuffer: 1e9 });
    lines += stdout;
  }
  return lines;
}

/** Opens all files of a kit as the page says: by age and Python alone. Returns their bytes, in the order of the kit. */
export async function openWithoutKeeplight(
  folder: string,
  { kits, identity, gateway }: { kits: readonly string[]; identity: string; gateway: string },
): Promise<{ name: string; bytes: Uint8Array }[]> {
  await mkdir(folder, { recursive: true });
  const keys = join(folder, "keys.jsonl");
  await writeFile(keys, await decryptKit(folder, kits, identity), { mode: 0o600 });
  const opened = join(folder, "opened");
  await runScript(folder, "open.py", [keys, `${gateway}/ipfs/`, opened]);
  const names = (await readdir(opened)).sort();
  return Promise.all(names.map(async (name) => ({ name, bytes: new Uint8Array(await readFile(join(opened, name))) })));
}
