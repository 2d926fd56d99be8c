// @ts-check
import { Converter, ReflectionKind } from "typedoc";

/**
 * A typedoc plugin: members of a type that has no name of its own, such as one case of a union or a row of a
 * table, count as documented by what they belong to. Members of named types have to be documented themselves.
 *
 * @param {import("typedoc").Application} app
 */
export function load(app) {
  app.converter.on(Converter.EVENT_RESOLVE_END, ({ project }) => {
    for (const member of project.getReflectionsByKind(ReflectionKind.Property)) {
      if (member.comment || !member.parent?.kindOf(ReflectionKind.TypeLiteral)) continue;
      let owner = member.parent;
      while (owner.parent && !owner.comment) owner = owner.parent;
      if (owner.comment) member.comment = owner.comment.clone();
    }
  });
}
