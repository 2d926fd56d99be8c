import { json } from "./checks.ts";
import { copyInput } from "./copy-input.ts";
import { isOptions } from "./operation.ts";

const copyJson = json();

/**
 * Returns a copy of options that are checked later, by the call that they are passed on to. Anything but an object is
 * returned unchanged, and refused then.
 */
export function copyOptions<Options>(options: Options): Options {
  if (!isOptions(options)) return options;
  return Object.fromEntries(Object.entries(options).map(([name, value]) => [name, copyOption(name, value)])) as Options;
}

/** Wallets and journals are recognised by their identity. */
function copyOption(name: string, value: unknown): unknown {
  if (name === "signer" || name === "journal") return value;
  return name === "dynamicData" ? copyJson(value, name) : copyInput(value, name);
}
