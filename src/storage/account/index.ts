export { type CreateApiKeyOptions, createApiKey, getAuthMessage } from "./api-key.ts";
export { createOneTimeToken, getOneTimeMessage, type OneTimeTokenOptions } from "./one-time-token.ts";
export { getBalance, type Usage } from "./usage.ts";
export { type CreatedWallet, type CreateWalletOptions, createWallet } from "./wallet.ts";
