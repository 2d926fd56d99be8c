import { isKeeplightError } from "../errors/base.ts";
import { invalidOption } from "../errors/input.ts";
import { signatureRejected } from "../errors/nodes.ts";
import { untilAborted } from "./abort.ts";
import { checkAddress } from "./address.ts";

/** Anything that signs for an address: an ethers signer, a wallet in the browser. */
export interface Signer {
  getAddress(): Promise<string> | string;
  signMessage(message: string): Promise<string>;
}

/** The address a signer signs for; throws `INVALID_OPTION` or `INVALID_ADDRESS`. */
export async function addressOf(signer: Signer): Promise<string> {
  if (typeof signer?.getAddress !== "function" || typeof signer.signMessage !== "function") {
    throw invalidOption("signer", "an object with getAddress() and signMessage()");
  }
  return checkAddress(await signer.getAddress());
}

/**
 * Has a message signed. A wallet's window may stay open for as long as it likes; an aborted call does not
 * wait for it.
 *
 * @throws `SIGNATURE_REJECTED`, `ABORTED`
 */
export async function signWith(signer: Signer, message: string, signal: AbortSignal | undefined): Promise<string> {
  try {
    return await untilAborted(signer.signMessage(message), signal);
  } catch (error) {
    throw isKeeplightError(error) ? error : signatureRejected(error);
  }
}
