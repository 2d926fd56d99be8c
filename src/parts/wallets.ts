// Wallets of a page, and what keeps them signed in.

export { checkAddress } from "../base/validation/address.ts";
export { createProviderSigner, promptSigner, resolveSigner } from "../base/validation/sign.ts";
export { getViemAccount, isFreeWallet, requestOnce } from "../base/validation/signer.ts";
export { getKeeper, keepSignIn } from "../keys/auth/kept-session.ts";
export type { DatedJwt } from "../keys/auth/session.ts";
export { watchWallets } from "../network/ethereum/wallet/eip-6963.ts";
