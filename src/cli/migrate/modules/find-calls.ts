import type { LeftOver } from "../by-hand.ts";
import type { Call } from "../call.ts";
import type { Program } from "../program.ts";
import { childOf, isMember, isType, keyOf, type Node } from "../syntax/node.ts";
import type { Imported, Site } from "./find-sites.ts";

/** A call with the name that it is made by. */
export interface FoundCall extends Call {
  site: Site;
  imported: Imported;
  /** The identifier that refers to the import. */
  reference: Node;
  /** The expression that is called: the identifier, or a property of it. */
  callee: Node;
}

/** The calls of a program, and what else it does with what it imports. */
export interface FoundCalls {
  calls: FoundCall[];
  others: LeftOver[];
}

/** Finds the calls of the incumbent's functions. */
export function findCalls(program: Program, sites: readonly Site[]): FoundCalls {
  const calls: FoundCall[] = [];
  const others: LeftOver[] = [];
  for (const site of sites) {
    if (site.module.role !== "calls") continue;
    for (const imported of site.imported) {
      if (imported.isType) continue;
      for (const reference of imported.binding.references) {
        const callee = findCallee(program, imported, reference);
        const node = callee && program.tree.placeOf(callee.node)?.parent;
        if (callee && isType(node, "CallExpression") && childOf(node, "callee") === callee.node) {
          const { package: name } = site.module;
          const found = { site, imported, reference, callee: callee.node };
          calls.push({ ...found, program, package: name, name: callee.name, node, siblings: calls });
        } else {
          const reason = "it is passed on or changed, not called";
          others.push({ ...placeOf(reference), what: imported.binding.name, reason });
        }
      }
    }
  }
  return { calls, others };
}

/** Finds what a reference is called as: a function of its own, or a property of all calls as one object. */
function findCallee(program: Program, imported: Imported, reference: Node): { name: string; node: Node } | undefined {
  if (imported.binding.writes > 0) return undefined;
  if (imported.name !== "*") return { name: imported.name, node: reference };
  let member = program.tree.placeOf(reference)?.parent;
  if (isDefault(program, member)) member = program.tree.placeOf(member)?.parent;
  const name = isMember(member) ? keyOf(member) : undefined;
  const isPlain = isType(member, "MemberExpression") && member["computed"] !== true;
  return member && isPlain && name !== undefined ? { name, node: member } : undefined;
}

function isDefault(program: Program, member: Node | undefined): member is Node {
  return isMember(member) && keyOf(member) === "default" && isMember(program.tree.placeOf(member)?.parent);
}

/** Returns the line and the column of a node, both from 1 on. */
export function placeOf(node: Node): { line: number; column: number } {
  return { line: node.loc.start.line, column: node.loc.start.column + 1 };
}
