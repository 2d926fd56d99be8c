import { resolve } from "node:path";
import ts from "typescript";
import { expect, test } from "vitest";
import { createKit } from "../../src/index.ts";

const names = Object.keys(createKit());

/** A program with each method of a kit, as somebody types it who reads what an editor shows. */
const path = resolve("test/kit/in-editor.ts");
const text = `
  import { createKit, type Signer } from "../../src/index.ts";
  declare const signer: Signer;
  const kit = createKit({ apiKey: "key", signer });
  export const methods = [${names.map((name) => `kit.${name}`).join(", ")}];
  export const calls = [
    kit.decrypt("cid", { as: "blob" }), kit.download("cid"), kit.makeRecoveryKit([], { recipients: "age1" })
  ];
`;

/** Returns what an editor shows for a method, where `code` has it. */
function createEditor(): (code: string) => { type: string; documentation: string } {
  const { config } = ts.readConfigFile("tsconfig.json", ts.sys.readFile);
  const { options } = ts.parseJsonConfigFileContent({ ...config, include: [] }, ts.sys, ".");
  const service = ts.createLanguageService({
    ...ts.sys,
    useCaseSensitiveFileNames: () => ts.sys.useCaseSensitiveFileNames,
    getScriptFileNames: () => [path],
    getScriptVersion: () => "1",
    getScriptSnapshot(file) {
      const source = file === path ? text : ts.sys.readFile(file);
      return source === undefined ? undefined : ts.ScriptSnapshot.fromString(source);
    },
    getCurrentDirectory: () => process.cwd(),
    getCompilationSettings: () => options,
    getDefaultLibFileName: ts.getDefaultLibFilePath,
  });
  return (code) => {
    const info = service.getQuickInfoAtPosition(path, text.indexOf(code) + "kit.".length);
    return {
      type: ts.displayPartsToString(info?.displayParts),
      documentation: ts.displayPartsToString(info?.documentation),
    };
  };
}

test("an editor shows what each method of a kit does, and a type that can be read", () => {
  const show = createEditor();
  const shown = [...names.map((name) => `kit.${name}`), "kit.decrypt(", "kit.download(", "kit.makeRecoveryKit("];
  for (const method of shown) {
    const { type, documentation } = show(method);
    expect(documentation, method).not.toBe("");
    expect(type.match(/( \| [^|\n]+){3}/)?.[0], method).toBeUndefined();
  }
});
