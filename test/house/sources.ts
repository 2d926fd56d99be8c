import { readdirSync, readFileSync } from "node:fs";
import { join, posix, sep } from "node:path";
import { fileURLToPath } from "node:url";
import ts from "typescript";

const root = fileURLToPath(new URL("../../src/", import.meta.url));

/** One import, export-from or dynamic import of a source file. */
export interface Import {
  /** As written. */
  specifier: string;
  /** What it leads to within src, such as `errors/base.ts`; undefined for packages and `#` names. */
  target: string | undefined;
  /** Nothing is left of it at run time. */
  typeOnly: boolean;
  dynamic: boolean;
}

/** One file of src; its path has forward slashes and starts below src. */
export interface SourceFile {
  path: string;
  lines: number;
  imports: Import[];
}

function isTypeOnly(node: ts.ImportDeclaration | ts.ExportDeclaration): boolean {
  if (ts.isExportDeclaration(node)) return node.isTypeOnly;
  const clause = node.importClause;
  if (!clause) return false;
  if (clause.phaseModifier === ts.SyntaxKind.TypeKeyword) return true;
  const named = clause.namedBindings;
  return !clause.name && !!named && ts.isNamedImports(named) && named.elements.every((element) => element.isTypeOnly);
}

function importsOf(path: string, text: string): Import[] {
  const found: Import[] = [];
  const add = (literal: ts.Node | undefined, typeOnly: boolean, dynamic: boolean): void => {
    if (!literal || !ts.isStringLiteralLike(literal)) return;
    const specifier = literal.text;
    const target = specifier.startsWith(".") ? posix.join(posix.dirname(path), specifier) : undefined;
    found.push({ specifier, target, typeOnly, dynamic });
  };
  const visit = (node: ts.Node): void => {
    if (ts.isImportDeclaration(node) || ts.isExportDeclaration(node)) {
      add(node.moduleSpecifier, isTypeOnly(node), false);
    } else if (ts.isCallExpression(node) && node.expression.kind === ts.SyntaxKind.ImportKeyword) {
      add(node.arguments[0], false, true);
    } else if (ts.isImportTypeNode(node) && ts.isLiteralTypeNode(node.argument)) {
      add(node.argument.literal, true, false);
    } else if (ts.isNewExpression(node) && node.expression.getText() === "URL") {
      // new URL("./worker.ts", import.meta.url)
      if (node.arguments?.[1]?.getText() === "import.meta.url") add(node.arguments[0], false, true);
    }
    ts.forEachChild(node, visit);
  };
  visit(ts.createSourceFile(path, text, ts.ScriptTarget.ESNext, true));
  return found;
}

/** Every file below src, with what it imports. */
export function readSources(): SourceFile[] {
  const paths = readdirSync(root, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(root.length).split(sep).join("/"));
  return paths.sort().map((path) => {
    const text = readFileSync(join(root, path), "utf8");
    return { path, lines: text.trimEnd().split("\n").length, imports: importsOf(path, text) };
  });
}
