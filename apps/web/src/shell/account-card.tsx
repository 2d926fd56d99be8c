import { useState } from "react";
import { formatTime, formatUntil, shorten } from "../messages/format.ts";
import { useMessages } from "../messages/language.ts";
import { useSession } from "../session/session.ts";
import { SessionDialog } from "../session/session-dialog.tsx";
import { IconButton } from "../ui/button.tsx";
import { useNow } from "../ui/use-now.ts";
import { AddressBadge } from "./address-badge.tsx";

/** The signed-in account, when its session ends, and the buttons to change and to end that. */
export function AccountCard() {
  const { session: text } = useMessages();
  const { address, endsAt, lock } = useSession();
  const now = useNow();
  const [isOpen, setOpen] = useState(false);
  return (
    <div className="account-card">
      <AddressBadge address={address} />
      <p>
        <strong className="mono">{shorten(address, 6, 4)}</strong>
        <span className="quiet" title={text.until(formatTime(endsAt))}>
          {text.untilShort(formatUntil(endsAt, now))}
        </span>
      </p>
      <IconButton icon="clock" label={text.title} onClick={() => setOpen(true)} />
      <IconButton icon="lock" label={text.lock} onClick={lock} />
      {isOpen && <SessionDialog onClose={() => setOpen(false)} />}
    </div>
  );
}
