import {
  closeSync,
  constants,
  existsSync,
  fstatSync,
  lstatSync,
  mkdirSync,
  openSync,
  readdirSync,
  readSync,
  promises as real,
} from "node:fs";
import type { FileHandle } from "node:fs/promises";
import { dirname, join } from "node:path";
import { onTestFinished } from "vitest";

/**
 * The functions of `node:fs/promises` for a test that cuts the power: they work as usual, and note what is synced in the
 * folders of {@link watchDisk}. A test that replaces modules is on the list of the project `isolated`.
 *
 * @example
 * vi.mock("node:fs/promises", async () => (await import("../support/forgetful-fs.ts")).forgetfulFs);
 */
export const forgetfulFs = {
  ...real,
  ...withNotices(["link", "mkdir", "rename", "rm", "truncate", "unlink", "utimes", "writeFile"]),
  access,
  open,
};

/** The files of a folder, by their paths in it. */
export type DiskImage = ReadonlyMap<string, Buffer>;

/** What a power cut leaves of what was not synced. Nothing is certain: each may reach the disk without the other. */
interface Spared {
  /** The bytes of files. */
  data: boolean;
  /** Names that were created, changed or removed: all of them, none, or only the one at this path. */
  names: boolean | string;
}

/** What is on the disk of a folder. */
export interface Disk {
  /** Returns what a power cut leaves now: all that was synced, and what of the rest is `spared`, by default nothing. */
  image(spared?: Partial<Spared>): DiskImage;
  /** Runs `work`. Returns what a power cut leaves at any moment meanwhile, or right after it; equal images once. */
  cutAnywhere(work: () => Promise<unknown>): Promise<DiskImage[]>;
  /** Refuses every change from now on, as a medium that is mounted read-only. */
  makeReadOnly(): void;
}

const disks = new Set<ReturnType<typeof createDisk>>();

/** Watches a folder until the test is over. What is in it already counts as synced. */
export function watchDisk(folder: string): Disk {
  const disk = createDisk(folder);
  disks.add(disk);
  onTestFinished(() => {
    disks.delete(disk);
    disk.close();
  });
  return disk;
}

/** Writes the files of an image to a folder, with mode 0600; returns the folder. */
export async function writeImage(image: DiskImage, folder: string): Promise<string> {
  for (const [path, bytes] of image) {
    const place = join(folder, path);
    mkdirSync(dirname(place), { recursive: true, mode: 0o700 });
    await real.writeFile(place, bytes, { mode: 0o600 });
  }
  return folder;
}

function createDisk(root: string) {
  /** By inode numbers: the bytes of files and the names in folders that are on the disk. */
  const files = new Map<bigint, Buffer>();
  const folders = new Map<bigint, ReadonlyMap<string, bigint>>();
  /** Files stay open: their bytes can be read without a name, and no other file gets the same inode number. */
  const descriptors = new Map<bigint, number>();
  let onChange = () => {};
  let isReadOnly = false;

  function hold(path: string): bigint {
    const descriptor = openSync(path, "r");
    const { ino } = fstatSync(descriptor, { bigint: true });
    if (descriptors.has(ino)) closeSync(descriptor);
    else descriptors.set(ino, descriptor);
    return ino;
  }

  const readNow = (ino: bigint) => {
    const descriptor = descriptors.get(ino);
    return descriptor === undefined ? undefined : readAll(descriptor);
  };

  /** Returns the inode numbers of what is in a folder now, except links and devices. */
  function listNow(folder: string): Map<string, bigint> {
    const names = new Map<string, bigint>();
    for (const name of readdirSync(folder)) {
      const found = lstatSync(join(folder, name), { bigint: true });
      if (found.isFile()) hold(join(folder, name));
      else if (found.isDirectory() && !folders.has(found.ino)) folders.set(found.ino, new Map());
      if (found.isFile() || found.isDirectory()) names.set(name, found.ino);
    }
    return names;
  }

  /** Returns what reads a file or folder, and then what notes that this is on the disk. */
  function watch(path: string): () => () => void {
    const found = lstatSync(path, { bigint: true, throwIfNoEntry: false });
    if (found?.isDirectory()) {
      return () => {
        const names = listNow(path);
        return () => void folders.set(found.ino, names);
      };
    }
    if (!found?.isFile()) return () => () => undefined;
    const ino = hold(path);
    return () => {
      const bytes = readNow(ino) ?? Buffer.alloc(0);
      return () => void files.set(ino, bytes);
    };
  }

  function syncAll(path: string): void {
    watch(path)()();
    if (lstatSync(path).isDirectory()) for (const name of listNow(path).keys()) syncAll(join(path, name));
  }
  syncAll(root);

  /** Returns the names of a folder if of those that were not synced only the `spared` ones have reached the disk. */
  function listLeft(path: string, synced: ReadonlyMap<string, bigint>, spared: true | string) {
    const now = listNow(join(root, path));
    const left = new Map<string, bigint>();
    for (const name of new Set([...synced.keys(), ...now.keys()])) {
      const child = (spared === true || spared === join(path, name) ? now : synced).get(name);
      if (child !== undefined) left.set(name, child);
    }
    return left;
  }

  /** Returns the paths of the names that were not synced. */
  function listUnsynced(path = ""): string[] {
    const place = join(root, path);
    const found = lstatSync(place, { bigint: true, throwIfNoEntry: false });
    if (!found?.isDirectory()) return [];
    const [synced, now] = [folders.get(found.ino) ?? new Map<string, bigint>(), listNow(place)];
    return [...new Set([...synced.keys(), ...now.keys()])].flatMap((name) => {
      const own = join(path, name);
      return [...(synced.get(name) === now.get(name) ? [] : [own]), ...listUnsynced(own)];
    });
  }

  function image({ data = false, names = false }: Partial<Spared> = {}): DiskImage {
    const found = new Map<string, Buffer>();
    const add = (path: string, ino: bigint) => {
      const synced = folders.get(ino);
      if (!synced) found.set(path, (data ? readNow(ino) : files.get(ino)) ?? Buffer.alloc(0));
      else for (const [name, child] of names ? listLeft(path, synced, names) : synced) add(join(path, name), child);
    };
    add("", lstatSync(root, { bigint: true }).ino);
    return found;
  }

  return {
    contains: (path: unknown): path is string => path === root || String(path).startsWith(join(root, "/")),
    changed: () => onChange(),
    watch,
    image,
    isReadOnly: () => isReadOnly,
    makeReadOnly: () => {
      isReadOnly = true;
    },
    async cutAnywhere(work: () => Promise<unknown>): Promise<DiskImage[]> {
      const images = new Map<string, DiskImage>();
      onChange = () => {
        for (const data of [false, true]) {
          for (const names of [false, true, ...listUnsynced()]) {
            const left = image({ data, names });
            images.set([...left].map(([path, bytes]) => `${path} ${bytes.toString("base64")}`).join("\n"), left);
          }
        }
      };
      try {
        onChange();
        await work();
      } finally {
        onChange();
        onChange = () => {};
      }
      return [...images.values()];
    },
    close: () => {
      for (const descriptor of descriptors.values()) closeSync(descriptor);
    },
  };
}

function noticeChange(): void {
  for (const disk of disks) disk.changed();
}

/** Returns functions of `node:fs/promises` after which every disk may have changed. */
function withNotices<Name extends keyof typeof real>(names: readonly Name[]): Pick<typeof real, Name> {
  const wrapped = names.map((name) => {
    const original = real[name] as (...values: unknown[]) => Promise<unknown>;
    const change = async (...values: unknown[]) => {
      // A folder that exists need not be made.
      if (name !== "mkdir" || !existsSync(String(values[0]))) refuseReadOnly(values[0]);
      return original(...values).finally(noticeChange);
    };
    return [name, change];
  });
  return Object.fromEntries(wrapped) as Pick<typeof real, Name>;
}

function refuseReadOnly(path: unknown): void {
  if (![...disks].some((disk) => disk.isReadOnly() && disk.contains(path))) return;
  throw Object.assign(new Error("EROFS: read-only file system"), { code: "EROFS" });
}

async function access(...[path, mode]: Parameters<typeof real.access>): Promise<void> {
  await real.access(path, mode);
  if (((mode ?? 0) & constants.W_OK) !== 0) refuseReadOnly(path);
}

async function open(...[path, ...options]: Parameters<typeof real.open>): Promise<FileHandle> {
  const [flags = "r"] = options;
  const isReading = typeof flags === "number" ? (flags & (constants.O_WRONLY | constants.O_RDWR)) === 0 : flags === "r";
  if (!isReading) refuseReadOnly(path);
  const handle = await real.open(path, ...options);
  const disk = [...disks].find(({ contains }) => contains(path));
  if (!disk) return handle;
  const sync = disk.watch(String(path));
  for (const name of ["sync", "datasync"] as const) {
    const original = handle[name].bind(handle);
    handle[name] = async () => {
      // What is written meanwhile is not promised.
      const note = sync();
      await original();
      note();
      noticeChange();
    };
  }
  for (const name of ["write", "writeFile", "appendFile", "truncate"] as const) {
    const original = handle[name].bind(handle) as (...values: unknown[]) => Promise<unknown>;
    Object.assign(handle, { [name]: (...values: unknown[]) => original(...values).finally(noticeChange) });
  }
  noticeChange();
  return handle;
}

function readAll(descriptor: number): Buffer {
  const bytes = Buffer.alloc(fstatSync(descriptor).size);
  return bytes.subarray(0, readSync(descriptor, bytes, 0, bytes.length, 0));
}
