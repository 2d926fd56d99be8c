// Wallets of a page.

export { getViemAccount, isFreeWallet, requestOnce } from "../base/validation/eip-1193.ts";
export { createProviderSigner, resolveSigner } from "../base/validation/resolve-signer.ts";
export { watchWallets } from "../network/ethereum/eip-6963.ts";
