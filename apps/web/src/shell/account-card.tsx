import { shorten } from "../messages/format.ts";
import { useMessages } from "../messages/language.ts";
import { useSession } from "../session/session.ts";
import { IconButton } from "../ui/button.tsx";
import { CopyButton } from "../ui/copy-button.tsx";
import { AddressBadge } from "./address-badge.tsx";

/** The signed-in account, and the button to disconnect. */
export function AccountCard() {
  const { shell } = useMessages();
  const { address, walletName, disconnect } = useSession();
  return (
    <div className="account-card">
      <AddressBadge address={address} />
      <p>
        <strong title={walletName}>{walletName}</strong>
        <span className="mono">{shorten(address, 6, 4)}</span>
      </p>
      <CopyButton text={address} what={shell.address} />
      <IconButton icon="leave" label={shell.disconnect} onClick={disconnect} />
    </div>
  );
}
