import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { createKit, type Endpoints } from "../../src/index.ts";
import { programs } from "./pages.ts";

const written = fileURLToPath(new URL(".programs/", import.meta.url));

/** The files that the programs read, by their names in the working folder. */
const readFiles = {
  "photo.jpg": "picture",
  "secret.pdf": "secret",
  "letter.pdf": "letter",
  "film.mkv": "film",
  "a.txt": "a",
  "letters/1.txt": "first",
  "letters/2.txt": "second",
  "photos/2026/beach.jpg": "beach",
  "site/index.html": "<p>hello</p>",
};

/** What stands for the addresses and hosts in the programs. */
export interface Placeholders {
  endpoints: Endpoints;
  /** Instead of `0xBob…`. */
  address: string;
  /** Instead of `age1…`. */
  recipient: string;
}

/** Writes the programs to files that run on a devnet: with its endpoints bound, and placeholders replaced. */
export function writePrograms({ endpoints, address, recipient }: Placeholders): void {
  const names = Object.keys(createKit()).join(", ");
  write(
    "keeplight.ts",
    `import { createKit as bind } from "keeplight";
export * from "keeplight";
const network = ${JSON.stringify({ endpoints, pauseMs: 0 })};
export const createKit = (defaults) => bind({ ...network, ...defaults });
export const { ${names} } = bind(network);
`,
  );
  write(
    "drive.ts",
    `import { openDrive as open } from "@keeplight/drive";
export * from "@keeplight/drive";
export const openDrive = (options) => open({ ...${JSON.stringify({ endpoints, pauseMs: 0 })}, ...options });
`,
  );
  write(
    "recovery.ts",
    `import { createShareLink as link, makeRecoveryKit as make } from "@keeplight/recovery";
export * from "@keeplight/recovery";
const network = ${JSON.stringify({ endpoints, pauseMs: 0 })};
export const createShareLink = (cid, options) => link(cid, { ...network, ...options });
export const makeRecoveryKit = (files, options) => make(files, { ...network, ...options });
`,
  );
  for (const { name, code } of programs) {
    const up = "../".repeat(name.split("/").length - 1);
    write(
      name,
      code
        .replaceAll('from "keeplight"', `from "${up}keeplight.ts"`)
        .replaceAll('from "@keeplight/drive"', `from "${up}drive.ts"`)
        .replaceAll('from "@keeplight/recovery"', `from "${up}recovery.ts"`)
        .replace(/https:\/\/(gateway\.lighthouse\.storage|trustless-gateway\.link)/g, endpoints.gateway)
        // Endpoints of a call replace all of those that are bound.
        .replace("endpoints = { gateway:", `endpoints = { ...${JSON.stringify(endpoints)}, gateway:`)
        .replaceAll("0xBob…", address)
        .replaceAll("age1…", recipient),
    );
  }
}

function write(name: string, text: string): void {
  mkdirSync(dirname(join(written, name)), { recursive: true });
  writeFileSync(join(written, name), text);
}

/** Runs a program by importing it. */
export async function runProgram(name: string): Promise<void> {
  await import(join(written, name));
}

/** Calls a function that a program exports. */
export async function callProgram(name: string, functionName: string, ...values: readonly unknown[]): Promise<unknown> {
  const program: Record<string, unknown> = await import(join(written, name));
  const called = program[functionName];
  if (typeof called !== "function") throw new Error(`${name} exports no function ${functionName}`);
  return called(...values);
}

/** Creates the working folder of the programs, with the files that they read. */
export function createWorkingFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), "keeplight-docs-"));
  for (const [name, text] of Object.entries(readFiles)) {
    mkdirSync(dirname(join(folder, name)), { recursive: true });
    writeFileSync(join(folder, name), text);
  }
  mkdirSync(join(folder, "recovery"));
  return folder;
}

/** Removes the files of {@link writePrograms}. */
export function removePrograms(): void {
  rmSync(written, { recursive: true, force: true });
}
