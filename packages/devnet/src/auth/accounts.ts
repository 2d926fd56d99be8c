import { Wallet } from "ethers";

/** A wallet for tests and demos; it holds nothing on any public chain. */
export interface Account {
  /** Lower-case. */
  address: string;
  /** 64 hex characters after `0x`. */
  privateKey: string;
}

/** Creates random wallets. */
export function createAccounts(count: number): readonly Account[] {
  return Array.from({ length: count }, () => {
    const { address, privateKey } = Wallet.createRandom();
    return { address: address.toLowerCase(), privateKey };
  });
}
