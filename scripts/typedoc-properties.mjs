// @ts-check
import { Converter, DeclarationReflection, ReflectionKind } from "typedoc";

/** @typedef {import("typedoc").Reflection} Reflection */

/**
 * A typedoc plugin. Every property needs a description, which typedoc checks, except those that describe themselves:
 * the `kind` or `status` of one case of a union, an option that a case excludes (`undefined`), and the rows of tables
 * of constants. They inherit the comment of the declaration that contains them. Every option that may be left out needs
 * a `@default`.
 *
 * @param {import("typedoc").Application} app
 */
export function load(app) {
  app.converter.on(Converter.EVENT_RESOLVE_END, ({ project }) => {
    for (const reflection of project.getReflectionsByKind(ReflectionKind.Property)) {
      if (!(reflection instanceof DeclarationReflection)) continue;
      const owners = listOwners(reflection);
      if (isOption(reflection, owners) && !hasDefault(reflection))
        app.logger.warn(`${reflection.getFullName()} has no @default`);
      if (!reflection.comment && (isFixed(reflection) || owners.some((owner) => owner.kindOf(ReflectionKind.Variable))))
        inheritComment(reflection, owners);
    }
  });
}

/** @param {Reflection} reflection */
function listOwners({ parent }) {
  /** @type {Reflection[]} */
  const owners = [];
  for (let owner = parent; owner; owner = owner.parent) owners.push(owner);
  return owners;
}

/** @param {DeclarationReflection} property */
function isFixed({ type }) {
  return type?.type === "literal" || (type?.type === "intrinsic" && type.name === "undefined");
}

/**
 * @param {DeclarationReflection} property
 * @param {readonly Reflection[]} owners
 */
function isOption(property, owners) {
  return property.flags.isOptional && !isFixed(property) && owners.some(({ name }) => /(Options|Defaults)$/.test(name));
}

/** @param {DeclarationReflection} property */
function hasDefault({ comment, type, signatures }) {
  const declared = type?.type === "reflection" ? type.declaration.signatures : signatures;
  return [comment, ...(declared ?? []).map((signature) => signature.comment)].some((found) =>
    found?.blockTags.some(({ tag }) => tag === "@default"),
  );
}

/**
 * @param {DeclarationReflection} property
 * @param {readonly Reflection[]} owners
 */
function inheritComment(property, owners) {
  const comment = owners.find((owner) => owner.comment)?.comment;
  if (comment) property.comment = comment.clone();
}
