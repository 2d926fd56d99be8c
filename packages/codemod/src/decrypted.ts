import { around, ByHand, dottedName, isMember, keyOf, outer, type Path } from "./program.ts";
import type { Call } from "./rule.ts";
import { findOutcome, isPrinted, listUses } from "./values.ts";

/** What a program does with a decrypted file: as bytes, as a `Blob`, or what works with both. */
type Form = "bytes" | "blob" | "both";

/**
 * Finds out whether a program uses a decrypted file as bytes, as it is in Node, or as a `Blob`, as it is in a page; throws
 * `ByHand` if that is not certain.
 */
export function findForm({ path }: Call): "bytes" | "blob" {
  const { value } = findOutcome(path);
  const forms = new Set(
    (value ? listUses(value) : []).map((use): Form => {
      const form = use.name === undefined ? formOfUse(use.path) : formOfMember(use.name);
      if (form) return form;
      const reason = "its result is an ArrayBuffer in Node and a Blob in a page; keeplight returns a Uint8Array";
      throw new ByHand(reason, use.path);
    }),
  );
  if (forms.has("bytes") && forms.has("blob")) throw new ByHand("its result is used as bytes and as a Blob");
  return forms.has("blob") ? "blob" : "bytes";
}

function formOfMember(name: string): Form | undefined {
  if (name === "byteLength") return "bytes";
  return /^(text|arrayBuffer|size|stream)$/.test(name) ? "blob" : undefined;
}

function formOfUse(path: Path): Form | undefined {
  if (isPrinted(path)) return "both";
  const parent = around(path);
  const made = parent?.isArrayExpression() ? around(parent) : parent;
  if (!made?.isCallExpression() && !made?.isNewExpression()) return undefined;
  const callee = made.get("callee") as Path;
  const name = dottedName(callee) ?? "";
  if (parent?.isArrayExpression()) return made.isNewExpression() && /^(Blob|File)$/.test(name) ? "both" : undefined;
  if (made.node.arguments.length !== 1 || outer(path).listKey !== "arguments") return undefined;
  if (made.isNewExpression()) return name === "Uint8Array" ? "bytes" : undefined;
  if (/^((window\.)?URL\.createObjectURL|\w+\.readAs(Text|DataURL|ArrayBuffer))$/.test(name)) return "blob";
  return name === "Buffer.from" || (isMember(callee) && keyOf(callee) === "decode") ? "bytes" : undefined;
}
