import { Wallet } from "ethers";

/** A wallet that tests and demos may use; it holds nothing anywhere else. */
export interface Account {
  /** Lower-case. */
  address: string;
  /** 64 hex characters after `0x`. */
  privateKey: string;
}

/** Makes fresh wallets. */
export function createAccounts(count: number): readonly Account[] {
  return Array.from({ length: count }, () => {
    const { address, privateKey } = Wallet.createRandom();
    return { address: address.toLowerCase(), privateKey };
  });
}
