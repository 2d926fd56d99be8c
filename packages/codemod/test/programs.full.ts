import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import ts from "typescript";
import { describe, expect, test } from "vitest";
import { parseEvents } from "../../cli/test/rig.ts";
import { rewriteFile } from "../src/rewrite-file.ts";
import { tables } from "../src/tables.ts";
import { programs, toCommonJs } from "./programs.ts";
import { projectForTests } from "./rig.ts";

const project = projectForTests();
const root = fileURLToPath(new URL("../../../", import.meta.url));

const variants = Object.entries(programs).flatMap(([name, { text, left }]) => [
  { file: `${name}.mjs`, text, left },
  { file: `${name}.cjs`, text: toCommonJs(text), left },
]);

test("the programs make every call of both packages", () => {
  const all = Object.values(programs)
    .map(({ text }) => text)
    .join("\n");
  const older = ["posdi", "getPrice", "fund", "oneTimeAuth"];
  const names = [...Object.keys(tables.lighthouse), ...Object.keys(tables.kavach)];
  expect(names).toHaveLength(43);
  expect(names.filter((name) => !older.includes(name) && !new RegExp(`\\b${name}\\b`).test(all))).toEqual([]);
});

describe.each(variants)("$file", ({ file, text, left }) => {
  test("does the same once it is migrated, and is not changed again", async () => {
    const { folder, run, migrate } = project();
    const path = join(folder, file);
    await writeFile(path, text);
    const before = await run(file);
    expect(before).toMatchObject({ code: 0 });
    const migrated = await migrate(file, "--force", "--json");
    const events = parseEvents(migrated.stdout);
    expect(events.at(-1), migrated.stdout).toMatchObject({ event: "result", changed: 1, left });
    expect(migrated.code).toBe(left > 0 ? 2 : 0);
    const result = await readFile(path, "utf8");
    expect(result).not.toContain("@lighthouse-web3");
    if (left === 0) expect(result).not.toContain("@keeplight/");
    const after = await run(file);
    expect(after.stderr).toBe(before.stderr);
    expect(after.stdout).toBe(before.stdout);
    expect(after.code).toBe(0);
    await migrate(file, "--force");
    expect(await readFile(path, "utf8")).toBe(result);
  });
});

test("migrated programs compile as TypeScript against the sources", async () => {
  const { folder } = project();
  const paths = await Promise.all(
    Object.entries(programs).map(async ([name, { text }]) => {
      const path = join(folder, `${name}.ts`);
      const typed = text
        .replace("const reported = []", "const reported: number[] = []")
        .replace("(progressData) =>", "(progressData: { progress: number }) =>")
        .replace("describe(cid)", "describe(cid: string)")
        .replace("upload = (text)", "upload = (text: string)")
        .replace("failure.message", "(failure as Error).message");
      await writeFile(path, rewriteFile(typed, path).text);
      return path;
    }),
  );
  const sources = (folder: string) => [join(root, folder, "src/index.ts")];
  const checked = ts.createProgram(paths, {
    noEmit: true,
    strict: true,
    skipLibCheck: true,
    allowImportingTsExtensions: true,
    module: ts.ModuleKind.ESNext,
    moduleResolution: ts.ModuleResolutionKind.Bundler,
    customConditions: ["keeplight-source"],
    target: ts.ScriptTarget.ES2023,
    lib: ["lib.es2023.d.ts", "lib.dom.d.ts", "lib.dom.iterable.d.ts", "lib.dom.asynciterable.d.ts"],
    typeRoots: [join(root, "node_modules/@types")],
    types: ["node"],
    allowJs: true,
    paths: {
      keeplight: sources("."),
      "@keeplight/lighthouse-sdk": sources("packages/lighthouse-sdk"),
      "@keeplight/kavach": sources("packages/kavach"),
    },
  });
  const problems = paths.flatMap((path) =>
    ts.getPreEmitDiagnostics(checked, checked.getSourceFile(path)).map(({ messageText, start, file }) => {
      const { line } = file?.getLineAndCharacterOfPosition(start ?? 0) ?? { line: 0 };
      return `${file?.fileName}:${line + 1} ${ts.flattenDiagnosticMessageText(messageText, "\n")}`;
    }),
  );
  expect(problems).toEqual([]);
}, 600_000);
