import { toNothing } from "../arguments/convert.ts";
import { ByHand } from "../by-hand.ts";
import { argumentOf, type Call } from "../call.ts";
import { findForm } from "../results/decrypted.ts";
import type { Rule } from "./types.ts";

/** `decryptFile`: bytes or a `Blob`, by what the program does with it. */
export function toDecrypt(call: Call): Rule {
  const form = findForm(call);
  if (argumentOf(call, 3)) throw new ByHand("a gateway is an option: { endpoints: { gateway } }");
  const isBlob = form === "blob";
  if (isBlob && argumentOf(call, 2))
    throw new ByHand("keeplight's Blob has no type of its own: new Blob([bytes], { type })");
  return {
    to: "decrypt",
    parameters: [
      { name: "cid" },
      { name: "fileEncryptionKey", option: "key" },
      {
        name: "mimeType",
        option: "mimeType",
        optional: true,
        ...(isBlob ? { missing: 'as: "blob"' } : {}),
        convert: toNothing("a type of its own is for a Blob, which this file is not"),
      },
      { name: "gatewayUrl", option: "gateway", optional: true },
    ],
    result: { path: [], sameTypes: "all" },
  };
}
