import { readdirSync, readFileSync } from "node:fs";
import { join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { parse } from "@babel/parser";
import { expect, test } from "vitest";
import { de } from "../../apps/web/src/messages/de.ts";
import { en } from "../../apps/web/src/messages/en.ts";

const root = fileURLToPath(new URL("../../apps/web/src", import.meta.url));

/** Attributes and properties that people read or hear. */
const readable = new Set([
  ...["action", "advice", "alt", "aria-label", "detail", "hint", "label", "lead", "placeholder", "title", "what"],
]);

interface Node {
  type: string;
  loc?: { start: { line: number } };
  [key: string]: unknown;
}

/** Lists the texts in a file that are not from the catalogue, with their lines. */
function listTexts(source: string): string[] {
  const found: string[] = [];
  const isText = (value: unknown) => typeof value === "string" && /\p{L}{2}|^\p{L}$/u.test(value.trim());
  const add = (node: Node, value: unknown) => {
    if (isText(value)) found.push(`${node.loc?.start.line}: ${String(value).trim().replace(/\s+/g, " ")}`);
  };

  /** What an expression may evaluate to, where it is written in place. */
  function addLiterals(node: Node | null | undefined): void {
    if (!node) return;
    if (node.type === "StringLiteral") add(node, node["value"]);
    if (node.type === "TemplateLiteral") {
      for (const part of node["quasis"] as Node[]) add(part, (part["value"] as { cooked: string }).cooked);
    }
    if (node.type === "ConditionalExpression") {
      addLiterals(node["consequent"] as Node);
      addLiterals(node["alternate"] as Node);
    }
    if (node.type === "LogicalExpression") addLiterals(node["right"] as Node);
    if (node.type === "JSXExpressionContainer") addLiterals(node["expression"] as Node);
  }

  function visit(node: Node): void {
    if (node.type === "JSXText") add(node, node["value"]);
    if (node.type === "JSXElement" || node.type === "JSXFragment") {
      for (const child of node["children"] as Node[]) if (child.type === "JSXExpressionContainer") addLiterals(child);
    }
    if (node.type === "JSXAttribute" && readable.has(String((node["name"] as Node)["name"]))) {
      addLiterals(node["value"] as Node);
    }
    if (node.type === "ObjectProperty" && readable.has(String((node["key"] as Node)["name"]))) {
      addLiterals(node["value"] as Node);
    }
    if (node.type === "CallExpression" && (node["callee"] as Node)["name"] === "toast") {
      for (const argument of node["arguments"] as Node[]) addLiterals(argument);
    }
    for (const value of Object.values(node)) {
      for (const child of Array.isArray(value) ? value : [value]) {
        if (typeof child === "object" && child !== null && "type" in child) visit(child as Node);
      }
    }
  }

  visit(parse(source, { sourceType: "module", plugins: ["typescript", "jsx"] }).program as unknown as Node);
  return found;
}

function listFilesWithTexts(): { path: string; texts: string[] }[] {
  return readdirSync(root, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && /\.tsx?$/.test(entry.name))
    .map((entry) => join(entry.parentPath, entry.name))
    .map((path) => ({ path: relative(root, path), texts: listTexts(readFileSync(path, "utf8")) }))
    .filter(({ path, texts }) => texts.length > 0 && !path.startsWith("messages/") && path !== "ui/brand.tsx");
}

test("the web app's texts are in its catalogue", () => {
  expect(listFilesWithTexts()).toEqual([]);
});

test("texts are found wherever they are written in place", () => {
  const source = `
    const tabs = { preview: { label: "Preview", icon: "image" } };
    const view = <p title={isOpen ? "Hide" : words.show} className="card">Some <b>{n > 1 && \`\${n} files\`}</b>{words.rest}</p>;
    toast("Done");`;
  expect(listTexts(source)).toEqual(["2: Preview", "3: Hide", "3: Some", "3: files", "4: Done"]);
});

/** Lists the catalogue's keys, as paths. */
function listKeys(texts: object, prefix = ""): string[] {
  return Object.entries(texts).flatMap(([key, value]) =>
    typeof value === "object" && value !== null ? listKeys(value, `${prefix}${key}.`) : [`${prefix}${key}`],
  );
}

test("both languages have every text, and no text is empty", () => {
  expect(listKeys(de).sort()).toEqual(listKeys(en).sort());
  expect(JSON.stringify([en, de])).not.toContain('""');
});
