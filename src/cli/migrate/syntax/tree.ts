import { childrenOf, isType, type Node } from "./node.ts";

/** Where a node is in its tree. */
interface Place {
  parent: Node;
  /** The field of the parent that holds it. */
  field: string;
}

/** A syntax tree that can be walked in both directions. */
export interface Tree {
  readonly root: Node;
  /** Every node, parents first. */
  readonly nodes: readonly Node[];
  /** Returns where a node is; undefined for the root. */
  placeOf(node: Node): Place | undefined;
  /** Returns the nearest node around `node` that satisfies `test`. */
  findAround(node: Node, test: (around: Node) => boolean): Node | undefined;
  /** Returns `node` with the parentheses around it. */
  withParentheses(node: Node): Node;
}

/** Indexes a syntax tree. */
export function createTree(root: Node): Tree {
  const places = new Map<Node, Place>();
  const nodes: Node[] = [];
  const open = [root];
  for (let node = open.pop(); node; node = open.pop()) {
    nodes.push(node);
    for (const [field, child] of childrenOf(node)) {
      // A shorthand property has one node for both its key and its value.
      if (places.has(child)) continue;
      places.set(child, { parent: node, field });
      open.push(child);
    }
  }
  return {
    root,
    nodes: nodes.sort((a, b) => a.start - b.start || b.end - a.end),
    placeOf: (node) => places.get(node),
    findAround(node, test) {
      for (let place = places.get(node); place; place = places.get(place.parent)) {
        if (test(place.parent)) return place.parent;
      }
      return undefined;
    },
    withParentheses(node) {
      let outer = node;
      for (let place = places.get(outer); isType(place?.parent, "ParenthesizedExpression"); place = places.get(outer)) {
        outer = place.parent;
      }
      return outer;
    },
  };
}

/** Whether a text, on a line of its own, continues a statement before it that no semicolon ends. */
export function continuesStatement(text: string): boolean {
  return /^\s*[([`+\-*/.,?]/.test(text);
}

/** Returns a node without the parentheses around it. */
export function stripParentheses(node: Node): Node;
export function stripParentheses(node: Node | undefined): Node | undefined;
export function stripParentheses(node: Node | undefined): Node | undefined {
  let inner = node;
  while (isType(inner, "ParenthesizedExpression")) inner = inner["expression"] as Node;
  return inner;
}
