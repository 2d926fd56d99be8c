import { isKeeplightError } from "keeplight";
import { formatTime, shorten } from "../messages/format.ts";
import { useMessages } from "../messages/language.ts";
import { type Duration, durations, toDuration } from "../session/durations.ts";
import { useSession } from "../session/session.ts";
import { AddressBadge } from "../shell/address-badge.tsx";
import { Button } from "../ui/button.tsx";
import { CopyButton } from "../ui/copy-button.tsx";
import { ErrorNote } from "../ui/error-note.tsx";
import { SelectField } from "../ui/field.tsx";
import { useNow } from "../ui/use-now.ts";

/** The signed-in account, when its session ends, and the ways to end it now. */
export function SessionPanel() {
  const { session: text, settings, shell } = useMessages();
  const { address, endsAt, endAfter, lock, signOut, error } = useSession();
  const now = useNow();
  return (
    <section className="card settings-card" aria-labelledby="session-title">
      <h2 id="session-title">{settings.session}</h2>
      <div className="settings-account">
        <AddressBadge address={address} />
        <p>
          <span className="quiet">{settings.signedInAs}</span>
          <span className="mono">{shorten(address, 10, 8)}</span>
        </p>
        <CopyButton text={address} what={shell.address} />
      </div>
      <SelectField
        label={text.lasts}
        hint={text.until(formatTime(endsAt))}
        value={toDuration(endsAt - now)}
        choices={(Object.keys(durations) as Duration[]).map((value) => ({ value, label: text.durations[value] }))}
        onChoose={(duration) => endAfter(durations[duration])}
      />
      <p className="hint">{text.lockHint}</p>
      <p className="hint">{text.signOutHint}</p>
      {error && !isKeeplightError(error, "SESSION_UNFINISHED") && <ErrorNote error={error} />}
      <div className="settings-actions">
        <Button icon="lock" onClick={() => lock()}>
          {text.lock}
        </Button>
        <Button kind="danger" icon="leave" onClick={() => signOut()}>
          {text.signOut}
        </Button>
      </div>
    </section>
  );
}
