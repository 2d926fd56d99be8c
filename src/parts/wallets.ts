// Wallets of a page, and what keeps them signed in.

export { createProviderSigner, resolveSigner } from "../base/validation/sign.ts";
export { getViemAccount, isFreeWallet, requestOnce } from "../base/validation/signer.ts";
export { type DatedJwt, getKeeper, keepSignIn, type SignInKeeper } from "../keys/auth/session.ts";
export { watchWallets } from "../network/ethereum/eip-6963.ts";
