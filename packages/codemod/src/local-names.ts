import type { NodePath } from "@babel/traverse";
import type * as t from "@babel/types";
import type { Path, Program } from "./program.ts";
import { listImported } from "./sites.ts";

/** The names by which a program calls the kit. */
export class LocalNames {
  readonly kit: NodePath<t.ImportDeclaration> | undefined;
  readonly #known = new Map<string, string>();
  readonly #chosen = new Map<string, string>();
  readonly #program: Program;
  readonly #freed: ReadonlySet<t.Node>;

  /** `freed`: identifiers that are removed or replaced. */
  constructor(program: Program, freed: ReadonlySet<t.Node>) {
    this.#program = program;
    this.#freed = freed;
    this.kit = program.root.get("body").find((path): path is NodePath<t.ImportDeclaration> => {
      const isKit = path.isImportDeclaration() && path.node.source.value === "keeplight";
      return (
        isKit && path.node.importKind !== "type" && path.get("specifiers").some((each) => each.isImportSpecifier())
      );
    });
    for (const { name, isType, binding } of this.kit ? listImported(this.kit) : []) {
      if (!isType) this.#known.set(name, binding.identifier.name);
    }
  }

  /** Returns the name of one of the kit's calls at a place; `isNew` if it has to be imported. */
  choose(at: Path, call: string): { local: string; isNew: boolean } {
    const existing = this.#known.get(call);
    if (existing !== undefined && at.scope.getBinding(existing)?.path.parent === this.kit?.node) {
      return { local: existing, isNew: false };
    }
    const capital = `keeplight${call[0]?.toUpperCase()}${call.slice(1)}`;
    let local = this.#chosen.get(call) ?? call;
    for (let number = 1; !this.#chosen.has(call) && this.#isTaken(local); number++) {
      local = number === 1 ? capital : `${capital}${number}`;
    }
    this.#chosen.set(call, local);
    return { local, isNew: true };
  }

  #isTaken(name: string): boolean {
    return this.#program.names.get(name)?.some((node) => !this.#freed.has(node)) === true;
  }
}
