import { resolve } from "node:path";
import ts from "typescript";
import { createKit } from "../../src/index.ts";

/** What an editor shows to somebody who types a program with each method of a kit. */
export interface Editor {
  /** The methods, as the program has them. */
  methods: string[];
  show(method: string): { type: string; documentation: string };
}

/** Opens such a program, which imports the SDK from `from`, as an editor does. */
export function createEditor(path: string, from: string): Editor {
  const names = Object.keys(createKit());
  const text = `
    import { createKit, type Signer } from "${from}";
    declare const signer: Signer;
    const kit = createKit({ apiKey: "key", signer });
    export const methods = [${names.map((name) => `kit.${name}`).join(", ")}];
    export const calls = [
      kit.decrypt("cid", { as: "blob" }), kit.download("cid")
    ];
  `;
  const { config } = ts.readConfigFile(resolve("tsconfig.json"), ts.sys.readFile);
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
  return {
    methods: [...names.map((name) => `kit.${name}`), "kit.decrypt(", "kit.download("],
    show(method) {
      const info = service.getQuickInfoAtPosition(path, text.indexOf(method) + "kit.".length);
      return {
        type: ts.displayPartsToString(info?.displayParts),
        documentation: ts.displayPartsToString(info?.documentation),
      };
    },
  };
}
