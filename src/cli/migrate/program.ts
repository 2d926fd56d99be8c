import { ByHand } from "./by-hand.ts";
import { childOf, isMember, isType, keyOf, listOf, type Node, nameOf } from "./syntax/node.ts";
import { parseSource, type Source } from "./syntax/parse.ts";
import { type Names, resolveNames } from "./syntax/scopes.ts";
import { createTree, type Tree } from "./syntax/tree.ts";

/** A program with all that is known of it. */
export interface Program extends Source {
  readonly tree: Tree;
  readonly names: Names;
  /** Where it runs, if its code shows that. */
  readonly runtime: "node" | "page" | undefined;
  /** Throws if there is a comment between two positions: it would be lost. */
  refuseComments(start: number, end: number): void;
  textOf(node: Node): string;
}

/** Parses a file and finds out what its names stand for; throws a `SyntaxError`. */
export function readProgram(text: string, path: string): Program {
  const source = parseSource(text, path);
  const tree = createTree(source.program);
  const names = resolveNames(tree);
  return {
    ...source,
    tree,
    names,
    runtime: findRuntime(text, tree, names),
    refuseComments(start, end) {
      const comment = source.comments.find((each) => each.start >= start && each.end <= end);
      if (comment) throw new ByHand("a comment is in the middle of it", comment);
    },
    textOf: ({ start, end }) => text.slice(start, end),
  };
}

const NODE_MODULES = /^(node:.*|fs|fs\/promises|child_process|http|https|net|os|readline|worker_threads)$/;
const NODE_GLOBALS = new Set(["__dirname", "__filename"]);
const PAGE_GLOBALS = new Set(["document", "window", "FileReader", "localStorage"]);

/** Finds out where a program runs: only what cannot run elsewhere counts. */
function findRuntime(text: string, tree: Tree, names: Names): Program["runtime"] {
  const isGlobal = (node: Node) => names.resolve(node) === undefined && names.declaredBy(node) === undefined;
  const hasGlobal = (globals: ReadonlySet<string>) =>
    [...globals].some((name) => names.all.get(name)?.some(isGlobal) === true);
  const isNode =
    text.startsWith("#!") ||
    hasGlobal(NODE_GLOBALS) ||
    tree.nodes.some((node) => NODE_MODULES.test(findImported(node) ?? "") || isArgv(node));
  const isPage =
    /^\s*["']use client["']/.test(text) ||
    hasGlobal(PAGE_GLOBALS) ||
    tree.nodes.some((node) => isType(node, "JSXElement", "JSXFragment"));
  if (isNode === isPage) return undefined;
  return isNode ? "node" : "page";
}

/** Returns the module that a node imports or requires. */
function findImported(node: Node): string | undefined {
  if (isType(node, "ImportDeclaration")) return String(childOf(node, "source")?.["value"]);
  const isRequire = isType(node, "CallExpression") && nameOf(childOf(node, "callee")) === "require";
  return isRequire ? String(listOf(node, "arguments")[0]?.["value"]) : undefined;
}

function isArgv(node: Node): boolean {
  return isMember(node) && keyOf(node) === "argv" && nameOf(childOf(node, "object")) === "process";
}
