import { ByHand } from "../by-hand.ts";
import { argumentOf, type Call } from "../call.ts";
import type { Edits } from "../edits.ts";
import { traceOrigin } from "../results/values.ts";
import { childOf, isType, listOf, type Node } from "../syntax/node.ts";
import { continuesStatement, stripParentheses } from "../syntax/tree.ts";
import { isFixed } from "./order.ts";

/** A `fetchEncryptionKey` that is followed by the `decryptFile` of its key: one call of the kit does both. */
export interface Pair {
  fetch: Call;
  /** The statement that is no longer required. */
  statement: Node;
}

/** Finds the call that fetches the key of a `decryptFile`, if it is the statement before and nothing else uses the key. */
export function findPair(decrypt: Call): Pair | undefined {
  const { program, siblings } = decrypt;
  const key = argumentOf(decrypt, 1);
  const origin = traceOrigin(program, key);
  const source = isType(origin?.node, "AwaitExpression")
    ? stripParentheses(childOf(origin.node, "argument"))
    : undefined;
  const fetch = siblings.find((each) => each.node === source && each.name === "fetchEncryptionKey");
  if (!fetch || origin?.path.join(".") !== "data.key" || !key) return undefined;
  const declarator = program.tree.findAround(fetch.node, (node) => isType(node, "VariableDeclarator"));
  const statement = declarator && program.tree.placeOf(declarator)?.parent;
  if (!statement || listOf(statement, "declarations").length > 1) return undefined;
  const args = listOf(fetch.node, "arguments");
  const isSame = (a: Node | undefined, b: Node | undefined) => a && b && program.textOf(a) === program.textOf(b);
  const isCertain =
    args.length === 3 && args.every((each) => isFixed(program, each)) && isSame(args[0], argumentOf(decrypt, 0));
  return isCertain && isUsedOnce(decrypt, declarator) && isNextTo(decrypt, statement)
    ? { fetch, statement }
    : undefined;
}

/** Whether a declarator's only variable is used once. */
function isUsedOnce({ program }: Call, declarator: Node): boolean {
  const bindings = [...program.names.scopeOf(declarator).bindings.values()];
  const declared = bindings.filter(({ declaration }) => declaration === declarator);
  return declared.length === 1 && declared[0]?.references.length === 1;
}

function isNextTo({ program, node }: Call, statement: Node): boolean {
  const place = program.tree.placeOf(statement);
  const siblings = place ? listOf(place.parent, place.field) : [];
  const next = siblings[siblings.indexOf(statement) + 1];
  if (!next || continuesStatement(program.textOf(next))) return false;
  return next.start <= node.start && node.end <= next.end && isDirect(program, node, next);
}

/** Whether a statement runs a call once, and not later. */
function isDirect({ tree }: Call["program"], call: Node, statement: Node): boolean {
  for (let place = tree.placeOf(call); place && place.parent !== statement; place = tree.placeOf(place.parent)) {
    if (/Function|Class|Method|Block|Logical|Conditional|Statement$/.test(place.parent.type)) return false;
  }
  return !/^(For|While|DoWhile|If|Switch|Try)/.test(statement.type);
}

/** Removes the statement that fetches the key; returns the options that stand for it. */
export function mergePair({ fetch, statement }: Pair, edits: Edits): string {
  const { program } = fetch;
  const [, address, token] = listOf(fetch.node, "arguments");
  if (!address || !token) throw new ByHand("its arguments are missing");
  program.refuseComments(statement.start, statement.end);
  const blank = /^[ \t]*(\r?\n[ \t]*)?/.exec(program.text.slice(statement.end))?.[0] ?? "";
  edits.remove(statement.start, statement.end + blank.length);
  const write = (name: string, node: Node) => {
    const text = program.textOf(node);
    return text === name ? name : `${name}: ${text}`;
  };
  return `${write("address", address)}, ${write("authToken", token)}`;
}
