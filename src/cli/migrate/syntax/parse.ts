import { extname } from "node:path";
import { type ParserPlugin, parse } from "@babel/parser";
import type { Node } from "./node.ts";

/** A program as text and as a tree. */
export interface Source {
  readonly text: string;
  readonly program: Node;
  readonly comments: readonly Node[];
  /** Whether a compiler checks its types. */
  readonly isTyped: boolean;
}

/** Parses a file; throws a `SyntaxError` with the place. */
export function parseSource(text: string, path: string): Source {
  const extension = extname(path).toLowerCase();
  const isTyped = /^\.[mc]?tsx?$/.test(extension);
  const file = parse(text, {
    sourceType: "unambiguous",
    plugins: listPlugins(extension, isTyped, text),
    createParenthesizedExpressions: true,
    allowReturnOutsideFunction: true,
    allowAwaitOutsideFunction: true,
    allowUndeclaredExports: true,
    allowNewTargetOutsideFunction: true,
    allowSuperOutsideMethod: true,
  });
  const { program, comments } = file as unknown as { program: Node; comments?: Node[] };
  return { text, program, comments: comments ?? [], isTyped };
}

function listPlugins(extension: string, isTyped: boolean, text: string): ParserPlugin[] {
  const common: ParserPlugin[] = ["decorators-legacy", "explicitResourceManagement"];
  // `<Type>value` is a cast in TypeScript without JSX, and an element elsewhere.
  if (isTyped) return [...common, "typescript", ...(extension === ".tsx" ? (["jsx"] as const) : [])];
  return [...common, "jsx", ...(/@flow\b/.test(text.slice(0, 2_000)) ? (["flow"] as const) : [])];
}
