// Wallets of a page and what keeps them signed in, chains, and the access conditions that are about both.

export { checkAddress } from "../base/validation/address.ts";
export { createKeySigner, recoverSigner } from "../base/validation/eth-signature.ts";
export { createProviderSigner, promptSigner, resolveSigner } from "../base/validation/sign.ts";
export { getViemAccount, isFreeWallet, requestOnce } from "../base/validation/signer.ts";
export { getKeeper, keepSignIn } from "../keys/auth/kept-session.ts";
export type { DatedJwt } from "../keys/auth/session.ts";
export { type CheckedAccess, checkConditions } from "../keys/conditions/check-conditions.ts";
export { connectToNodes, getReceipt } from "../network/ethereum/eth-rpc.ts";
export { createHttpRpc, isRevert, type Rpc } from "../network/ethereum/json-rpc.ts";
export { watchWallets } from "../network/ethereum/wallet/eip-6963.ts";
