import type { Program } from "../program.ts";
import { childOf, isType, listOf, type Node, nameOf } from "../syntax/node.ts";
import type { Scope } from "../syntax/scopes.ts";

/** The names by which a program calls the kit. */
export interface LocalNames {
  /** Returns the name of one of the kit's calls within a scope; `isNew` if it has to be imported. */
  choose(scope: Scope, call: string): { local: string; isNew: boolean };
}

/** The declaration of a program that imports from the kit already, if there is one. */
export function findKitImport(program: Program): Node | undefined {
  return listOf(program.program, "body").find((node) => {
    const isKit = isType(node, "ImportDeclaration") && childOf(node, "source")?.["value"] === "keeplight";
    return (
      isKit &&
      node["importKind"] !== "type" &&
      listOf(node, "specifiers").some((each) => isType(each, "ImportSpecifier"))
    );
  });
}

/**
 * Chooses names that the program does not use.
 *
 * @param freed - identifiers that are removed or replaced
 */
export function createLocalNames(program: Program, freed: ReadonlySet<Node>): LocalNames {
  const known = new Map<string, string>();
  for (const each of listOf(findKitImport(program), "specifiers")) {
    const imported = nameOf(childOf(each, "imported"));
    const local = nameOf(childOf(each, "local"));
    if (imported !== undefined && local !== undefined && each["importKind"] !== "type") known.set(imported, local);
  }
  const chosen = new Map<string, string>();
  const isTaken = (name: string) => program.names.all.get(name)?.some((node) => !freed.has(node)) === true;

  function find(call: string): string {
    const capital = `${call[0]?.toUpperCase()}${call.slice(1)}`;
    const candidates = [call, `keeplight${capital}`];
    for (let number = 2; ; number++) {
      const free = candidates.find((name) => !isTaken(name));
      if (free !== undefined) return free;
      candidates.push(`keeplight${capital}${number}`);
    }
  }

  return {
    choose(scope, call) {
      const existing = known.get(call);
      const isShadowed =
        existing !== undefined &&
        (program.names.all.get(existing) ?? []).some((node) => {
          const binding = program.names.declaredBy(node);
          return binding !== undefined && binding.scope.parent !== undefined;
        });
      if (existing !== undefined && !isShadowed && scope.parent === undefined) return { local: existing, isNew: false };
      const local = chosen.get(call) ?? find(call);
      chosen.set(call, local);
      return { local, isNew: true };
    },
  };
}
