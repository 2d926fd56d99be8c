import { resolve } from "node:path";
import { expect, test } from "vitest";
import { createEditor } from "./editor.ts";

test("an editor shows what each method of a kit does, and a type that can be read", () => {
  const editor = createEditor(resolve("test/kit/in-editor.ts"), "../../src/index.ts");
  for (const method of editor.methods) {
    const { type, documentation } = editor.show(method);
    expect(documentation, method).not.toBe("");
    expect(type.match(/( \| [^|\n]+){3}/)?.[0], method).toBeUndefined();
  }
});
