import { randomBytes } from "node:crypto";
import {
  chmod,
  link,
  lstat,
  mkdir,
  open,
  readdir,
  rename,
  rm,
  symlink,
  truncate,
  utimes,
  writeFile,
} from "node:fs/promises";
import { join } from "node:path";

/** Creates what draws numbers by a seed: 0 to `below` - 1. */
export function createDraw(seed: number) {
  let state = seed;
  return (below: number) => {
    state = (state + 0x6d2b79f5) | 0;
    let word = Math.imul(state ^ (state >>> 15), 1 | state);
    word = (word + Math.imul(word ^ (word >>> 7), 61 | word)) ^ word;
    return ((word ^ (word >>> 14)) >>> 0) % below;
  };
}

const names = ["a", "ü", "e+f%41", "sp ace", "-x", "new\nline", ".hidden", "😀", "b\\c", 'q"uote', "CON"];

/** Changes a folder at random: files, folders, links, names, modes, times, holes. */
export async function changeTree(root: string, draw: (below: number) => number, changes: number): Promise<void> {
  await mkdir(root, { recursive: true });
  for (let at = 0; at < changes; at++) await changeOnce(root, draw);
}

async function changeOnce(root: string, draw: (below: number) => number): Promise<void> {
  const all = await list(root);
  const pick = (kind: string) => {
    const some = all.filter((each) => each.kind === kind);
    return some[draw(Math.max(some.length, 1))]?.path;
  };
  const folder = pick("folder") ?? root;
  const fresh = join(draw(3) === 0 ? root : folder, `${names[draw(names.length)]}${draw(40)}`);
  const file = pick("file");
  // Most of what fails is there already.
  const works: (() => unknown)[] = [
    () => writeFile(fresh, randomBytes(draw(3) === 0 ? draw(2_500_000) : draw(5_000)), { flag: "wx" }),
    () => writeFile(fresh, "same ".repeat(draw(2_000)), { flag: "wx" }),
    () => mkdir(fresh),
    () => symlink(["a", "../x", "nowhere", "."][draw(4)] ?? "", fresh),
    () => file && link(file, fresh),
    () => file && rename(file, fresh),
    () => file && rm(file),
    () => file && chmod(file, [0o600, 0o644, 0o755, 0o4755, 0o2711, 0o1777][draw(6)] ?? 0),
    () => chmod(folder, [0o700, 0o755, 0o2775, 0o1777][draw(4)] ?? 0),
    () => file && utimes(file, draw(2_000_000_000), draw(2_000_000_000)),
    () => file && truncate(file, draw(4_000_000)),
    () => folder !== root && draw(6) === 0 && rm(folder, { recursive: true }),
    async () => {
      if (!file) return;
      const handle = await open(file, "r+");
      await handle.write(randomBytes(1 + draw(100)), 0, undefined, draw(3_000_000));
      await handle.close();
    },
  ];
  await Promise.resolve(works[draw(works.length)]?.()).catch(() => undefined);
}

async function list(root: string): Promise<{ path: string; kind: string }[]> {
  const found: { path: string; kind: string }[] = [];
  for (const name of await readdir(root)) {
    const path = join(root, name);
    const facts = await lstat(path);
    const kind = facts.isDirectory() ? "folder" : facts.isFile() ? "file" : "link";
    found.push({ path, kind });
    if (kind === "folder") found.push(...(await list(path)));
  }
  return found;
}
