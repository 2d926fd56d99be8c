// What the package exports of these: who pays, and wallets of a page.

export {
  type DiscoveredWallet,
  type DiscoverWalletsOptions,
  discoverWallets,
} from "./ethereum/wallet/eip-6963.ts";
export type {
  PaymentSigner,
  TransactionFields,
  TransactionSigner,
  ViemAccount,
} from "./ethereum/wallet/signer.ts";
