// Wallets of a page.

export { createProviderSigner, resolveSigner } from "../base/validation/sign.ts";
export { getViemAccount, isFreeWallet, requestOnce } from "../base/validation/signer.ts";
export { watchWallets } from "../network/ethereum/eip-6963.ts";
