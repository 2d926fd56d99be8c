import type { PayPerUploadOptions } from "@keeplight/pay-per-upload";
import type { UploadPayer } from "keeplight";
import type { AppNetwork } from "../network.ts";

/** Few pages pay. */
export const loadPayPerUpload = () => import("@keeplight/pay-per-upload");

export async function createPayer(
  terms: Omit<PayPerUploadOptions, "signer">,
  signer: PayPerUploadOptions["signer"],
): Promise<UploadPayer> {
  return (await loadPayPerUpload()).payPerUpload({ ...terms, signer });
}

/** Returns the chain on which single uploads are paid for: of the public network the kit's own. */
export function getUploadNetwork({ devnet }: AppNetwork): PayPerUploadOptions["network"] {
  const { chain_id: chainId, rpc, moreRpcs, tokens } = devnet?.network ?? {};
  const usdc = tokens?.usdc?.address;
  return chainId && rpc && usdc ? { chainId, usdc, rpc, moreRpcs } : undefined;
}

/** Whether anything can be paid for: a devnet may have no chain. */
export function canPay({ devnet }: AppNetwork): boolean {
  return !devnet || devnet.network !== undefined;
}
