import { formatTime, formatUntil, shorten } from "../messages/format.ts";
import { useMessages } from "../messages/language.ts";
import { useSession } from "../session/session.ts";
import { IconButton } from "../ui/button.tsx";
import { useNow } from "../ui/use-now.ts";
import { AddressBadge } from "./address-badge.tsx";

/** The signed-in account, when its session ends, and the button to end it; Settings has the rest. */
export function AccountCard() {
  const { session: text } = useMessages();
  const { address, endsAt, lock } = useSession();
  const now = useNow();
  return (
    <div className="account-card">
      <AddressBadge address={address} />
      <p>
        <strong className="mono">{shorten(address, 6, 4)}</strong>
        <span className="quiet" title={text.until(formatTime(endsAt))}>
          {text.untilShort(formatUntil(endsAt, now))}
        </span>
      </p>
      <IconButton icon="lock" label={text.lock} onClick={lock} />
    </div>
  );
}
