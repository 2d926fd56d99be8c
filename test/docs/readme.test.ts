import { existsSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import ts from "typescript";
import { expect, test } from "vitest";
import packageJson from "../../package.json" with { type: "json" };
import * as devnet from "../../src/devnet/index.ts";
import * as index from "../../src/index.ts";
import * as react from "../../src/react/index.ts";
import * as serviceWorker from "../../src/service-worker/index.ts";
import { errorCodes } from "../support/error-codes.ts";
import { programs, readme } from "./readme.ts";

const folder = dirname(fileURLToPath(import.meta.url));

/** Module settings of readers' projects; {@link findDiagnostics} adds the strictest settings that they may have. */
const moduleSettings: readonly [string, ts.CompilerOptions][] = [
  ["NodeNext", { module: ts.ModuleKind.NodeNext, moduleResolution: ts.ModuleResolutionKind.NodeNext }],
  ["ESNext and Bundler", { module: ts.ModuleKind.ESNext, moduleResolution: ts.ModuleResolutionKind.Bundler }],
];

let before: ts.Program | undefined;

/** Compiles each program as a file of its own, unchanged, and returns the compiler's messages. */
function findDiagnostics(settings: ts.CompilerOptions): string[] {
  const wrong = { name: "wrong.ts", code: 'import { upload } from "keeplight";\nawait upload(42);\n' };
  const files = new Map([...programs, wrong].map(({ name, code }) => [join(folder, name), code]));
  const options: ts.CompilerOptions = {
    target: ts.ScriptTarget.ES2022,
    lib: ["lib.es2022.d.ts", "lib.dom.d.ts", "lib.dom.iterable.d.ts"],
    types: ["node"],
    jsx: ts.JsxEmit.ReactJSX,
    strict: true,
    noUncheckedIndexedAccess: true,
    exactOptionalPropertyTypes: true,
    noPropertyAccessFromIndexSignature: true,
    noImplicitOverride: true,
    verbatimModuleSyntax: true,
    skipLibCheck: true,
    noEmit: true,
    // The package resolves to its sources, as nothing is built yet.
    customConditions: ["keeplight-source"],
    allowImportingTsExtensions: true,
    ...settings,
  };
  const host = ts.createCompilerHost(options);
  const { fileExists, readFile } = host;
  host.fileExists = (path) => files.has(path) || fileExists(path);
  host.readFile = (path) => files.get(path) ?? readFile(path);
  // Files that were read for the program before are not read and parsed again.
  const program = ts.createProgram([...files.keys()], options, host, before);
  before = program;
  return [...files.keys()].flatMap((path) => {
    const file = program.getSourceFile(path);
    if (!file) return [`${path} was not read`];
    const found = [...program.getSyntacticDiagnostics(file), ...program.getSemanticDiagnostics(file)];
    return found.map(({ messageText, start = 0 }) => {
      const line = file.text.slice(file.text.lastIndexOf("\n", start) + 1).split("\n")[0];
      return `${path.slice(folder.length + 1)}: ${line?.trim()}: ${ts.flattenDiagnosticMessageText(messageText, " ")}`;
    });
  });
}

test.each(moduleSettings)(
  "every program of the README compiles as written under the strictest %s, and a wrong one does not",
  (_, module) => {
    const wrong = [expect.stringMatching(/^wrong\.ts: await upload\(42\);/)];
    expect(programs.length).toBeGreaterThan(10);
    expect(findDiagnostics(module)).toEqual(wrong);
  },
  300_000,
);

test("the README names every function of the package", () => {
  const names = [index, devnet, react, serviceWorker].flatMap((entry) => Object.keys(entry));
  expect(names.length).toBeGreaterThan(50);
  expect(names.filter((name) => !new RegExp(`\\b${name}\\b`).test(readme))).toEqual([]);
});

test("the README explains every error code", () => {
  expect(errorCodes.length).toBeGreaterThan(30);
  expect(errorCodes.filter((code) => !readme.includes(`\`${code}\``))).toEqual([]);
});

test("every link of the README has a target", () => {
  const titles = Array.from(readme.matchAll(/^## (.*)$/gm), ([, title = ""]) =>
    title.toLowerCase().replaceAll(" ", "-"),
  );
  const links = Array.from(readme.matchAll(/\(#([^)]*)\)/g), ([, link = ""]) => link);
  expect(links.length).toBeGreaterThan(5);
  expect(links.filter((link) => !titles.includes(link))).toEqual([]);
  const files = Array.from(readme.matchAll(/\]\((?!#|https?:)([^)]*)\)/g), ([, path = ""]) => path);
  expect(files.length).toBeGreaterThan(3);
  expect(files.filter((path) => !existsSync(new URL(`../../${path}`, import.meta.url)))).toEqual([]);
});

test("links and pictures also work on the package page, which resolves them in the repository", () => {
  const { repository, homepage, bugs, author } = packageJson;
  const { url } = repository;
  expect(url).toMatch(/^git\+https:\/\/github\.com\/[\w-]+\/[\w-]+\.git$/);
  const page = url.slice("git+".length, -".git".length);
  expect({ homepage, bugs }).toEqual({ homepage: `${page}#readme`, bugs: { url: `${page}/issues` } });
  expect(author).not.toBe("");
  expect(readFileSync(new URL("../../SECURITY.md", import.meta.url), "utf8")).toContain(
    `${page}/security/advisories/new`,
  );
});
