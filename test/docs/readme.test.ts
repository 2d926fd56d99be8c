import { existsSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import ts from "typescript";
import { expect, test } from "vitest";
import * as devnet from "../../src/devnet/index.ts";
import * as index from "../../src/index.ts";
import * as react from "../../src/react/index.ts";

const readme = readFileSync(new URL("../../README.md", import.meta.url), "utf8");
const blocks = Array.from(readme.matchAll(/^```tsx?\n(.*?)^```$/gms), ([, code = ""]) => code);

/** What a reader has at hand, by name; a block may make its own. */
const atHand: Readonly<Record<string, string>> = {
  apiKey: "string",
  bar: "{ update(fraction: number): void }",
  blob: "Blob",
  bytes: "Uint8Array<ArrayBuffer>",
  cid: "string",
  input: "{ files: FileList }",
  kit: 'import("keeplight").Kit',
  signer: 'import("ethers").Wallet',
  stream: "ReadableStream<Uint8Array>",
};

const packages: Readonly<Record<string, readonly string[]>> = {
  keeplight: Object.keys(index),
  "keeplight/devnet": Object.keys(devnet),
  "keeplight/react": Object.keys(react),
  ethers: ["Wallet"],
};

/** A block as a module: with the imports that it leaves out, and in a function, where it may make names of its own. */
function moduleOf(block: string): string {
  const lines = block.split("\n");
  const given = lines.filter((line) => line.startsWith("import "));
  const body = lines.filter((line) => !line.startsWith("import ")).map((line) => line.replace(/^export /, ""));
  const left = Object.entries(packages).map(([from, names]) => {
    const used = names.filter((name) => new RegExp(`\\b${name}\\b`).test(block) && !given.join().includes(name));
    return `import { ${used.join(", ")} } from "${from}";`;
  });
  const declared = Object.entries(atHand).map(([name, type]) => `declare const ${name}: ${type};`);
  return [...given, ...left, ...declared, "export async function block() {", ...body, "}"].join("\n");
}

/** Everything the compiler has to say about these modules, by the position of the block. */
function complaints(modules: readonly string[]): string[] {
  const folder = dirname(fileURLToPath(import.meta.url));
  const config = ts.readConfigFile(join(folder, "../../tsconfig.json"), ts.sys.readFile);
  const { options } = ts.parseJsonConfigFileContent(config.config, ts.sys, join(folder, "../.."), {
    // What strict programs have that are not as strict as this one.
    noUncheckedIndexedAccess: false,
    noPropertyAccessFromIndexSignature: false,
    exactOptionalPropertyTypes: false,
  });
  const texts = new Map(modules.map((text, i) => [join(folder, `block-${i + 1}.tsx`), text]));
  const host = ts.createCompilerHost(options);
  const { fileExists, readFile } = host;
  host.fileExists = (path) => texts.has(path) || fileExists(path);
  host.readFile = (path) => texts.get(path) ?? readFile(path);
  const program = ts.createProgram([...texts.keys()], options, host);
  return [...texts.keys()].flatMap((path) => {
    const file = program.getSourceFile(path);
    if (!file) return [`${path} was not read`];
    const found = [...program.getSyntacticDiagnostics(file), ...program.getSemanticDiagnostics(file)];
    return found.map(({ messageText, start = 0 }) => {
      const line = file.text.slice(file.text.lastIndexOf("\n", start) + 1).split("\n")[0];
      return `${path.slice(folder.length + 1)}: ${line?.trim()}: ${ts.flattenDiagnosticMessageText(messageText, " ")}`;
    });
  });
}

test("every TypeScript block of the README compiles in a strict program, and a wrong one would not", () => {
  const wrong = moduleOf("await upload(42, { apiKey });");
  expect(blocks.length).toBeGreaterThan(10);
  const found = complaints([...blocks.map(moduleOf), wrong]);
  expect(found).toEqual([expect.stringContaining(`block-${blocks.length + 1}.tsx: await upload(42`)]);
}, 60_000);

test("every error code is explained", () => {
  const codes = readFileSync(new URL("../../src/errors/codes.ts", import.meta.url), "utf8").match(/"[A-Z_]+"/g) ?? [];
  expect(codes.length).toBeGreaterThan(30);
  expect(codes.filter((code) => !readme.includes(`\`${code.slice(1, -1)}\``))).toEqual([]);
});

test("every part of the README that is linked to is there", () => {
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
