export {
  type CreateApiKeyOptions,
  createApiKey,
  createOneTimeToken,
  getAuthMessage,
  getOneTimeMessage,
  type OneTimeTokenOptions,
} from "./api-key.ts";
export { getBalance, type Usage } from "./usage.ts";
export { type Credit, type WaitForCreditOptions, waitForCredit } from "./wait-for-credit.ts";
export { type CreatedWallet, type CreateWalletOptions, createWallet } from "./wallet.ts";
