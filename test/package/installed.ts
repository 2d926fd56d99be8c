import { execFile } from "node:child_process";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { tarballDependencies } from "./tarball.ts";

const execute = promisify(execFile);

/** A project of a user of the packages. */
export interface Project {
  folder: string;
  /** What is installed, by its place in the project, as npm lists it. */
  installed: Record<string, { version?: string; resolved?: string }>;
  /** Runs a program; returns what it prints. */
  run(command: string, ...args: string[]): Promise<string>;
  /** Installs further packages. */
  add(...packages: string[]): Promise<void>;
  remove(): Promise<void>;
}

/** Installs packed packages in a new folder with nothing around it, as a user installs them. */
export async function installPacked(names: readonly string[]): Promise<Project> {
  const folder = await mkdtemp(join(tmpdir(), "keeplight-install-"));
  const run = async (command: string, ...args: string[]) =>
    (await execute(command, args, { cwd: folder })).stdout.trim();
  const add = async (...packages: string[]) => {
    await run("npm", "install", "--save-dev", "--prefer-offline", "--no-audit", "--no-fund", ...packages);
  };
  const dependencies = await tarballDependencies(folder, names);
  await writeFile(join(folder, "package.json"), JSON.stringify({ private: true, dependencies }));
  // Nobody answers there: what is not packed of our own packages cannot come from elsewhere.
  await writeFile(join(folder, ".npmrc"), "@keeplight:registry=http://127.0.0.1:1/\nfetch-retries=0\n");
  await add();
  const { packages } = JSON.parse(await readFile(join(folder, "node_modules/.package-lock.json"), "utf8"));
  return { folder, installed: packages, run, add, remove: () => rm(folder, { recursive: true, force: true }) };
}

/** Returns the name of the package that is installed at a place. */
export const nameAt = (place: string) => place.replace(/^.*node_modules\//, "");
