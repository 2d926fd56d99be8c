import { unsupported } from "../../base/errors/input.ts";
import type { Keyring } from "../types.ts";

/** @throws `UNSUPPORTED` */
export async function keyring(): Promise<Keyring> {
  throw unsupported("a keyring in a page");
}
