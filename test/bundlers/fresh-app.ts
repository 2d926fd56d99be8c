import { type ExecException, execFile } from "node:child_process";
import { cp, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { tarballDependencies } from "../package/tarball.ts";
import workspace from "./apps/package.json" with { type: "json" };

const root = fileURLToPath(new URL("../../", import.meta.url));
const execute = promisify(execFile);

type Bundler = keyof typeof workspace.devDependencies;

/** A project that uses the packages. */
export interface FreshApp {
  folder: string;
  /** Runs a program of an installed package; returns its output. Throws with the output if the program fails. */
  run(program: string, ...args: string[]): Promise<string>;
  remove(): Promise<void>;
}

/** Environment of the programs, without the variables of the test runner, which could change what they do. */
export const environment = {
  ...Object.fromEntries(["PATH", "HOME", "TMPDIR"].map((name) => [name, process.env[name]])),
  NEXT_TELEMETRY_DISABLED: "1",
  // Packages with tables of browsers warn if these are old.
  BROWSERSLIST_IGNORE_OLD_DATA: "1",
  BASELINE_BROWSER_MAPPING_IGNORE_OLD_DATA: "1",
};

/**
 * Creates a temporary folder with the files of `fixtures`, which are below `apps/`, and installs our own packages there,
 * packed, and the other `packages`, from the registry or npm's cache.
 */
export async function createFreshApp(
  fixtures: Record<string, string>,
  packages: readonly Bundler[],
  own: readonly string[] = [
    "keeplight",
    "@keeplight/conditions",
    "@keeplight/media",
    "@keeplight/proof",
    "@keeplight/react",
  ],
): Promise<FreshApp> {
  const folder = await mkdtemp(join(tmpdir(), "keeplight-app-"));
  for (const [from, to] of Object.entries(fixtures)) {
    await cp(fileURLToPath(new URL(`apps/${from}`, import.meta.url)), join(folder, to), { recursive: true });
  }
  const dependencies = {
    ...Object.fromEntries(packages.map((name) => [name, workspace.devDependencies[name]])),
    ...(await tarballDependencies(folder, own)),
  };
  await writeFile(join(folder, "package.json"), JSON.stringify({ private: true, type: "module", dependencies }));
  await writeFile(join(folder, "package-lock.json"), await createLock(dependencies));
  const install = ["install", "--prefer-offline", "--ignore-scripts", "--no-audit", "--no-fund"];
  await execute("npm", install, { cwd: folder });
  return {
    folder,
    async run(program, ...args) {
      const path = join(folder, "node_modules/.bin", program);
      const running = execute(path, args, { cwd: folder, env: environment });
      const { stdout, stderr } = await running.catch(({ message, stdout }: ExecException) => {
        throw new Error(`${message}\n${stdout}`);
      });
      return stdout + stderr;
    },
    remove: () => rm(folder, { recursive: true, force: true }),
  };
}

/** Creates a lock file with this checkout's versions of all packages; npm skips those that nothing depends on. */
async function createLock(dependencies: Record<string, string>): Promise<string> {
  const lock: { packages: Record<string, { link?: true }> } = JSON.parse(
    await readFile(join(root, "package-lock.json"), "utf8"),
  );
  const places = Object.entries(lock.packages).filter(([, { link }]) => !link);
  const within = (folder: string) =>
    places.flatMap(([path, entry]) =>
      path.startsWith(`${folder}node_modules/`) ? [[path.slice(folder.length), entry] as const] : [],
    );
  const packages = { "": { dependencies }, ...Object.fromEntries([...within(""), ...within("test/bundlers/apps/")]) };
  return JSON.stringify({ lockfileVersion: 3, packages });
}
