import type { PackageName } from "./packages.ts";
import type { Program } from "./program.ts";
import { listOf, type Node } from "./syntax/node.ts";
import { stripParentheses } from "./syntax/tree.ts";

/** A call of the incumbent. */
export interface Call {
  readonly program: Program;
  readonly package: PackageName;
  /** Of the incumbent's function. */
  readonly name: string;
  readonly node: Node;
  /** Every call of the file. */
  readonly siblings: readonly Call[];
}

/** Returns an argument without parentheses; undefined if it is missing or `undefined`. */
export function argumentOf({ node }: Call, index: number): Node | undefined {
  const argument = stripParentheses(listOf(node, "arguments")[index]);
  return argument?.type === "Identifier" && argument["name"] === "undefined" ? undefined : argument;
}
