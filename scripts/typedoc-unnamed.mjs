// @ts-check
import { Converter, ReflectionKind } from "typedoc";

/**
 * A typedoc plugin: members of an anonymous type, such as one case of a union, inherit the comment of the declaration
 * that contains it. Members of named types need their own.
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
