/** A node of a syntax tree, as the parser makes it. */
export interface Node {
  type: string;
  /** Where its text starts, counted in UTF-16 code units. */
  start: number;
  /** Where its text ends. */
  end: number;
  loc: { start: { line: number; column: number } };
  [field: string]: unknown;
}

function isNode(value: unknown): value is Node {
  return typeof value === "object" && value !== null && "type" in value && typeof value.type === "string";
}

/** Returns a child, or undefined if it has none of this name. */
export function childOf(node: Node | undefined, field: string): Node | undefined {
  const value = node?.[field];
  return isNode(value) ? value : undefined;
}

/** Returns the children of a list; holes are left out. */
export function listOf(node: Node | undefined, field: string): Node[] {
  const value = node?.[field];
  return Array.isArray(value) ? value.filter(isNode) : [];
}

/** Yields each child with the name of its field. */
export function* childrenOf(node: Node): Generator<[field: string, child: Node]> {
  for (const [field, value] of Object.entries(node)) {
    // Comments hang on nodes, too.
    if (field === "loc" || field === "extra" || /comments$/i.test(field) || field === "errors") continue;
    for (const child of Array.isArray(value) ? value : [value]) if (isNode(child)) yield [field, child];
  }
}

export function isType<Type extends string>(
  node: Node | undefined,
  ...types: readonly Type[]
): node is Node & { type: Type } {
  return node !== undefined && (types as readonly string[]).includes(node.type);
}

/** Returns the name of an identifier. */
export function nameOf(node: Node | undefined): string | undefined {
  return isType(node, "Identifier", "JSXIdentifier") ? String(node["name"]) : undefined;
}

/** Returns the value of a string literal, also of a template without parts. */
export function stringOf(node: Node | undefined): string | undefined {
  if (isType(node, "StringLiteral")) return String(node["value"]);
  if (!isType(node, "TemplateLiteral") || listOf(node, "expressions").length > 0) return undefined;
  const { cooked } = (listOf(node, "quasis")[0]?.["value"] ?? {}) as { cooked?: unknown };
  return typeof cooked === "string" ? cooked : undefined;
}

/** Returns the name of a property, of a member, a pattern or an object; undefined if it is computed. */
export function keyOf(node: Node | undefined): string | undefined {
  const key = childOf(node, "key") ?? childOf(node, "property");
  if (node?.["computed"] === true) return stringOf(key);
  return nameOf(key) ?? stringOf(key);
}

export function isFunction(node: Node | undefined): node is Node & { type: "FunctionExpression" } {
  return (
    node !== undefined && /^(Arrow)?Function|^(Object|Class|ClassPrivate)Method$|^TSDeclareFunction$/.test(node.type)
  );
}

export function isMember(node: Node | undefined): node is Node & { type: "MemberExpression" } {
  return isType(node, "MemberExpression", "OptionalMemberExpression");
}
