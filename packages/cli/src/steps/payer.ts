import type { PayerOptions } from "keeplight";
import type { Invocation } from "../frame/invocation.ts";

/** Finds who pays: a private key, or the signer command as a wallet. Throws `NO_SIGNER`. */
export async function findPayer({ account }: Invocation): Promise<PayerOptions> {
  const found = await account.find();
  return found.provider ? { signer: found.provider } : { privateKey: found.privateKey };
}
