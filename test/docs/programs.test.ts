import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import ts from "typescript";
import { expect, test } from "vitest";
import * as conditions from "../../packages/conditions/src/index.ts";
import * as devnet from "../../packages/devnet/src/index.ts";
import * as media from "../../packages/media/src/index.ts";
import * as mediaWorker from "../../packages/media/src/serve-media.ts";
import * as payPerUpload from "../../packages/pay-per-upload/src/index.ts";
import * as proof from "../../packages/proof/src/index.ts";
import * as reactDrive from "../../packages/react/src/drive/index.ts";
import * as react from "../../packages/react/src/index.ts";
import * as query from "../../packages/react/src/query/index.ts";
import * as recovery from "../../packages/recovery/src/index.ts";
import * as server from "../../packages/server/src/index.ts";
import * as index from "../../src/index.ts";
import { errorCodes } from "../support/error-codes.ts";
import { type Program, pages, programs } from "./pages.ts";

const folder = dirname(fileURLToPath(import.meta.url));

/** Pages whose programs are for a bundler: their imports of each other have no extension. */
const bundlerOnly = /^start-(vite|next|react)\//;
/** The packages of this page are not installed here: its programs are compiled in a project of their own. */
const elsewhere = /^start-tanstack\//;
const forBundlers = programs.filter(({ name }) => !elsewhere.test(name));
const forNode = forBundlers.filter(({ name }) => !bundlerOnly.test(name));

/** Module settings of readers' projects; {@link findDiagnostics} adds the strictest settings that they may have. */
const moduleSettings: readonly [string, ts.CompilerOptions, readonly Program[]][] = [
  ["NodeNext", { module: ts.ModuleKind.NodeNext, moduleResolution: ts.ModuleResolutionKind.NodeNext }, forNode],
  [
    "ESNext and Bundler",
    { module: ts.ModuleKind.ESNext, moduleResolution: ts.ModuleResolutionKind.Bundler },
    forBundlers,
  ],
];

let before: ts.Program | undefined;

/** Compiles each program as a file of its own, unchanged, and returns the compiler's messages. */
function findDiagnostics(settings: ts.CompilerOptions, chosen: readonly Program[]): string[] {
  const wrong = { name: "wrong.ts", code: 'import { upload } from "keeplight";\nawait upload(42);\n' };
  const files = new Map([...chosen, wrong].map(({ name, code }) => [join(folder, name), code]));
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
  // The folders of the programs do not exist either.
  delete host.directoryExists;
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
  "every program of the pages compiles as written under the strictest %s, and a wrong one does not",
  (_, module, chosen) => {
    const wrong = [expect.stringMatching(/^wrong\.ts: await upload\(42\);/)];
    expect(chosen.length).toBeGreaterThan(30);
    expect(findDiagnostics(module, chosen)).toEqual(wrong);
  },
  300_000,
);

const text = pages.map((page) => page.text).join("\n");

test("the pages name every function of the package", () => {
  const names = [
    index,
    conditions,
    devnet,
    media,
    mediaWorker,
    payPerUpload,
    proof,
    query,
    react,
    reactDrive,
    recovery,
    server,
  ].flatMap((entry) => Object.keys(entry));
  expect(names.length).toBeGreaterThan(50);
  expect(names.filter((name) => !new RegExp(`\\b${name}\\b`).test(text))).toEqual([]);
});

test("the page about errors explains every code", () => {
  const page = pages.find(({ path }) => path === "docs/errors.md")?.text ?? "";
  expect(errorCodes.length).toBeGreaterThan(30);
  expect(errorCodes.filter((code) => !page.includes(`\`${code}\``))).toEqual([]);
});
