import type { WalletChoice } from "@keeplight/react";
import { AddressBadge } from "../shell/address-badge.tsx";
import { Icon } from "../ui/icon.tsx";

/** A wallet to connect; devnet's have an address. */
export function WalletItem({
  choice,
  detail,
  address,
  choose,
}: {
  choice: WalletChoice;
  detail: string;
  address?: string;
  choose: (wallet: WalletChoice) => void;
}) {
  return (
    <li>
      <button type="button" className="wallet-item" onClick={() => choose(choice)}>
        <WalletIcon icon={choice.icon} address={address} />
        <span>
          <strong>{choice.name}</strong>
          <span className={address ? "mono quiet" : "quiet"}>{detail}</span>
        </span>
        <Icon name="chevron" size={18} />
      </button>
    </li>
  );
}

/** The picture of a wallet: of its account, if that is known, its own, or one for all others. */
export function WalletIcon({ icon, address }: { icon: string | undefined; address: string | undefined }) {
  return (
    <span className="wallet-icon">
      {address !== undefined ? (
        <AddressBadge address={address} size={36} />
      ) : icon ? (
        <img src={icon} alt="" width={36} height={36} />
      ) : (
        <Icon name="wallet" size={24} />
      )}
    </span>
  );
}
