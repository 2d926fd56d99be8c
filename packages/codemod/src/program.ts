import { extname } from "node:path";
import { type ParserPlugin, parse } from "@babel/parser";
import traverseModule, { type NodePath } from "@babel/traverse";
import type * as t from "@babel/types";
import type MagicString from "magic-string";

export type Path = NodePath<t.Node>;

// Node gives the whole CommonJS module as its default export, bundlers that of the package.
const traverse = (traverseModule as { default?: typeof traverseModule }).default ?? traverseModule;

/** What has a place in the text. */
interface Located {
  node: { loc?: t.SourceLocation | null };
}

/** Thrown where a call cannot be rewritten with certainty: it stays as it is. */
export class ByHand extends Error {
  /** The code that is the reason, if it is not the call itself. */
  readonly at: Located | undefined;

  constructor(reason: string, at?: Located) {
    super(reason);
    this.at = at;
  }
}

/** A program with all that is known of it. */
export interface Program {
  readonly text: string;
  readonly root: NodePath<t.Program>;
  readonly comments: readonly t.Comment[];
  /** Whether a compiler checks its types. */
  readonly isTyped: boolean;
  /** Where it runs, if its code shows that. */
  readonly runtime: "node" | "page" | undefined;
  /** Every string. */
  readonly strings: readonly Path[];
  /** Every identifier by its name, those of properties excluded. */
  readonly names: ReadonlyMap<string, readonly t.Node[]>;
}

/** Parses a file; throws a `SyntaxError` with the place. */
export function parseSource(text: string, name: string): t.File {
  return parse(text, {
    sourceType: "unambiguous",
    plugins: listPlugins(extname(name).toLowerCase(), text),
    createParenthesizedExpressions: true,
    allowReturnOutsideFunction: true,
    allowAwaitOutsideFunction: true,
    allowUndeclaredExports: true,
    allowNewTargetOutsideFunction: true,
    allowSuperOutsideMethod: true,
  });
}

const TYPED = /^\.[mc]?tsx?$/;

function listPlugins(extension: string, text: string): ParserPlugin[] {
  const common: ParserPlugin[] = ["decorators-legacy", "explicitResourceManagement"];
  // `<Type>value` is a cast in TypeScript without JSX, and an element elsewhere.
  if (TYPED.test(extension)) return [...common, "typescript", ...(extension === ".tsx" ? (["jsx"] as const) : [])];
  return [...common, "jsx", ...(/@flow\b/.test(text.slice(0, 2_000)) ? (["flow"] as const) : [])];
}

// dotenv reads a file; `process.env` alone shows nothing, as bundlers replace it.
const NODE_MODULES =
  /^(node:.*|fs|fs\/promises|child_process|dotenv(\/config)?|http|https|net|os|readline|worker_threads)$/;
const NODE_GLOBALS = ["__dirname", "__filename"];
const PAGE_GLOBALS = ["document", "window", "FileReader", "localStorage"];

/** Parses a file and finds out what its names stand for; throws a `SyntaxError`. */
export function readProgram(text: string, name: string): Program {
  const file = parseSource(text, name);
  const strings: Path[] = [];
  const names = new Map<string, t.Node[]>();
  const roots: NodePath<t.Program>[] = [];
  let isNode = text.startsWith("#!");
  // What cannot run elsewhere counts, nothing else.
  let isPage = /^\s*["']use client["']/.test(text);
  try {
    traverse(file, {
      Program: (path) => void roots.push(path),
      "StringLiteral|TemplateLiteral": (path: Path) => {
        strings.push(path);
        if (NODE_MODULES.test(stringOf(path) ?? "") && loadOf(path)) isNode = true;
      },
      "Identifier|JSXIdentifier": (path: Path) => {
        const { node, key, parent } = path;
        if ("computed" in parent && parent.computed !== true && (key === "property" || key === "key")) return;
        if (/^(imported|exported|label|meta)$/.test(String(key)) || !("name" in node)) return;
        names.set(String(node.name), [...(names.get(String(node.name)) ?? []), node]);
      },
      "JSXElement|JSXFragment": () => {
        isPage = true;
      },
      MemberExpression: (path) => {
        if (dottedName(path) === "process.argv") isNode = true;
      },
    });
  } catch (error) {
    const isTwice = error instanceof TypeError && /^Duplicate declaration/.test(error.message);
    throw isTwice ? new SyntaxError(error.message) : error;
  }
  const [root] = roots;
  if (!root) throw new SyntaxError("there is no program");
  isNode ||= NODE_GLOBALS.some((each) => root.scope.hasGlobal(each));
  isPage ||= PAGE_GLOBALS.some((each) => root.scope.hasGlobal(each));
  return {
    text,
    root,
    comments: file.comments ?? [],
    isTyped: TYPED.test(extname(name).toLowerCase()),
    runtime: isNode === isPage ? undefined : isNode ? "node" : "page",
    strings,
    names,
  };
}

/** How a string loads a module: by a declaration, `require` or `import()`. */
export function loadOf(path: Path): "import" | "require" | "dynamic" | undefined {
  const parent = path.parentPath;
  if (parent?.isImportDeclaration()) return "import";
  if (!parent?.isCallExpression() || path.listKey !== "arguments") return undefined;
  const callee = parent.get("callee");
  return callee.isImport() ? "dynamic" : callee.isIdentifier({ name: "require" }) ? "require" : undefined;
}

export const startOf = (path: Path): number => path.node.start ?? 0;
export const endOf = (path: Path): number => path.node.end ?? 0;
export const textOf = ({ text }: Program, path: Path): string => text.slice(startOf(path), endOf(path));

/** Throws if there is a comment between two positions: it would be lost. */
export function refuseComments({ comments }: Program, start: number, end: number): void {
  const comment = comments.find((each) => (each.start ?? 0) >= start && (each.end ?? 0) <= end);
  if (comment) throw new ByHand("a comment is in the middle of it", { node: comment });
}

/** Returns an expression without the parentheses around it. */
export function inner(path: Path): Path {
  return path.isParenthesizedExpression() ? inner(path.get("expression")) : path;
}

/** Returns an expression with the parentheses around it. */
export function outer(path: Path): Path {
  return path.parentPath?.isParenthesizedExpression() ? outer(path.parentPath) : path;
}

/** What an expression is part of, parentheses aside. */
export function around(path: Path): Path | null {
  return outer(path).parentPath;
}

export function isMember(path: Path | null | undefined): path is NodePath<t.MemberExpression> {
  return path?.isMemberExpression() === true || path?.isOptionalMemberExpression() === true;
}

/** Returns the value of a string literal, also of a template without parts. */
export function stringOf(path: Path | undefined): string | undefined {
  if (path?.isStringLiteral()) return path.node.value;
  if (!path?.isTemplateLiteral() || path.node.expressions.length > 0) return undefined;
  return path.node.quasis[0]?.value.cooked ?? undefined;
}

/** Returns the name of a property, of a member, a pattern or an object; undefined if it is computed. */
export function keyOf(path: Path): string | undefined {
  const isProperty = path.isObjectProperty() || path.isObjectMethod();
  const key = isMember(path) ? path.get("property") : isProperty ? (path.get("key") as Path) : undefined;
  if (!key) return undefined;
  return key.isIdentifier() && !(path.node as { computed?: boolean }).computed ? key.node.name : stringOf(key);
}

/** Returns the dotted name of a callee, such as `Buffer.from`. */
export function dottedName(path: Path): string | undefined {
  if (path.isIdentifier()) return path.node.name;
  if (!isMember(path) || path.node.computed) return undefined;
  const object = dottedName(path.get("object"));
  return object === undefined ? undefined : `${object}.${keyOf(path)}`;
}

/** Whether a text, comments aside, continues a statement before it that no semicolon ends. */
export function continuesStatement(text: string): boolean {
  return /^[([`+\-*/.,?]/.test(text.replace(/^(\s|\/\/.*|\/\*[\s\S]*?\*\/)+/, ""));
}

/** Returns the line and the column of a node, both from 1 on. */
export function placeOf({ node }: Located): { line: number; column: number } {
  const { line = 1, column = 0 } = node.loc?.start ?? {};
  return { line, column: column + 1 };
}

/** Changes of a text that are made together or not at all. Positions are those of the original text. */
export class Edits {
  readonly #changes: ((text: MagicString) => unknown)[] = [];

  remove(start: number, end: number): void {
    if (end > start) this.#changes.push((text) => text.remove(start, end));
  }

  /** Removes what has no comment in it; throws `ByHand` if it has one, which would be lost. */
  removeCode(program: Program, start: number, end: number): void {
    refuseComments(program, start, end);
    this.remove(start, end);
  }

  replace(start: number, end: number, by: string): void {
    this.#changes.push((text) => text.update(start, end, by));
  }

  /** Inserts a text that stays with what follows it. */
  before(at: number, inserted: string): void {
    this.#changes.push((text) => text.prependRight(at, inserted));
  }

  /** Inserts a text that stays with what precedes it. */
  after(at: number, inserted: string): void {
    this.#changes.push((text) => text.appendLeft(at, inserted));
  }

  move(start: number, end: number, to: number): void {
    this.#changes.push((text) => text.move(start, end, to));
  }

  apply(text: MagicString): void {
    for (const change of this.#changes) change(text);
  }
}
