import { untilAborted } from "../../base/async/abort.ts";
import { invalidOption } from "../../base/errors/input.ts";
import { type Eip1193Provider, getViemAccount, isEip1193, requestOnce } from "../../base/validation/eip-1193.ts";
import { createProviderRpc, type RpcLimits } from "../../network/ethereum/json-rpc.ts";
import { checkSigner, payerAddress } from "../options.ts";
import { parsePrivateKey } from "../wallet/sender.ts";
import type { PaymentSigner, TransactionSigner } from "../wallet/signer.ts";
import { isViemAccount } from "../wallet/viem.ts";

/** Who is to pay: what comes first takes precedence. */
export interface Payer {
  address: string | undefined;
  privateKey: string | undefined;
  signer: PaymentSigner | undefined;
}

/**
 * Returns the payer's address, lower-case. Opens no window of a wallet.
 *
 * @throws `INVALID_OPTION`, `INVALID_ADDRESS`, `ABORTED`
 */
export async function readPayer({ address, privateKey, signer }: Payer, limits: RpcLimits): Promise<string> {
  if (address !== undefined) return address;
  if (privateKey !== undefined) return parsePrivateKey(privateKey).address;
  if (signer === undefined) throw invalidOption("address", "the payer's address, privateKey or signer");
  checkSigner(signer);
  const account = isViemAccount(signer) ? signer : getViemAccount(signer);
  if (account) return payerAddress(account.address);
  if (!isEip1193(signer)) {
    const requestAddress = async (): Promise<unknown> => (signer as TransactionSigner).getAddress();
    return payerAddress(await untilAborted(requestAddress(), limits.signal));
  }
  const provider = signer as Eip1193Provider;
  const wallet = createProviderRpc((method, params) => requestOnce(provider, method, params), limits);
  const accounts = await wallet("eth_accounts", []);
  return payerAddress(Array.isArray(accounts) ? accounts[0] : undefined);
}
