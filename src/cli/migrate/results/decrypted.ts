import { ByHand } from "../by-hand.ts";
import type { Call } from "../call.ts";
import type { Program } from "../program.ts";
import { childOf, isMember, isType, keyOf, listOf, type Node } from "../syntax/node.ts";
import { findOutcome } from "./outcome.ts";
import { dottedName, listUses } from "./values.ts";

/** What a program does with a decrypted file: as bytes, as a `Blob`, or what works with both. */
type Form = "bytes" | "blob" | "both";

/**
 * Finds out whether a program uses a decrypted file as bytes, as it is in Node, or as a `Blob`, as it is in a page; throws
 * `ByHand` if that is not certain.
 */
export function findForm({ program, node }: Call): "bytes" | "blob" {
  const { holder } = findOutcome(program, node);
  if (!holder) return "bytes";
  const uses = listUses(program, holder);
  const forms = new Set(
    uses.map((use): Form => {
      const form =
        use.kind === "member"
          ? formOfMember(use.name)
          : use.kind === "escape"
            ? formOfUse(program, use.node)
            : undefined;
      if (!form)
        throw new ByHand(
          "its result is an ArrayBuffer in Node and a Blob in a page; keeplight returns a Uint8Array",
          use.node,
        );
      return form;
    }),
  );
  if (forms.has("bytes") && forms.has("blob")) throw new ByHand("its result is used as bytes and as a Blob");
  return forms.has("blob") ? "blob" : "bytes";
}

function formOfMember(name: string): Form | undefined {
  if (name === "byteLength") return "bytes";
  return /^(text|arrayBuffer|size|stream)$/.test(name) ? "blob" : undefined;
}

function formOfUse(program: Program, node: Node): Form | undefined {
  const outer = program.tree.withParentheses(node);
  const { parent, field } = program.tree.placeOf(outer) ?? {};
  const name = dottedName(childOf(parent, "callee")) ?? "";
  const isOnly = listOf(parent, "arguments").length === 1 && field === "arguments";
  if (isType(parent, "CallExpression") && isOnly) {
    if (name === "Buffer.from") return "bytes";
    if (/^((window\.)?URL\.createObjectURL|\w+\.readAs(Text|DataURL|ArrayBuffer))$/.test(name)) return "blob";
    const callee = childOf(parent, "callee");
    return isMember(callee) && keyOf(callee) === "decode" ? "bytes" : undefined;
  }
  if (isType(parent, "NewExpression") && isOnly && name === "Uint8Array") return "bytes";
  const around = isType(parent, "ArrayExpression") ? program.tree.placeOf(parent)?.parent : undefined;
  return isType(around, "NewExpression") && /^(Blob|File)$/.test(dottedName(childOf(around, "callee")) ?? "")
    ? "both"
    : undefined;
}
