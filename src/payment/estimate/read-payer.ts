import { untilAborted } from "../../async/abort.ts";
import { invalidOption } from "../../errors/input.ts";
import { createProviderRpc, type RpcLimits } from "../../ethereum/json-rpc.ts";
import { type Eip1193Provider, getViemAccount, isEip1193, requestOnce } from "../../validation/eip-1193.ts";
import { checkPayerAddress } from "../chain/payer-address.ts";
import { checkSigner } from "../pay-options.ts";
import { parsePrivateKey } from "../wallet/sender.ts";
import type { TransactionSigner } from "../wallet/signer.ts";
import { isViemAccount } from "../wallet/viem.ts";
import type { EstimateOptions } from "./types.ts";

/**
 * Returns the payer's address, lower-case. Opens no window of a wallet.
 *
 * @throws `INVALID_OPTION`, `INVALID_ADDRESS`, `ABORTED`
 */
export async function readPayer(options: Partial<EstimateOptions>, limits: RpcLimits): Promise<string> {
  if (options.address !== undefined) return checkPayerAddress(options.address);
  const { privateKey } = options;
  if (privateKey !== undefined) return parsePrivateKey(privateKey).address;
  if (options.signer === undefined) throw invalidOption("address", "the payer's address, privateKey or signer");
  const signer = checkSigner(options.signer);
  const account = isViemAccount(signer) ? signer : getViemAccount(signer);
  if (account) return checkPayerAddress(account.address);
  if (!isEip1193(signer)) {
    const requestAddress = async (): Promise<unknown> => (signer as TransactionSigner).getAddress();
    return checkPayerAddress(await untilAborted(requestAddress(), limits.signal));
  }
  const provider = signer as Eip1193Provider;
  const wallet = createProviderRpc((method, params) => requestOnce(provider, method, params), limits);
  const accounts = await wallet("eth_accounts", []);
  return checkPayerAddress(Array.isArray(accounts) ? accounts[0] : undefined);
}
