import { isKeeplightError } from "keeplight";
import { formatTime, shorten } from "../messages/format.ts";
import { useMessages } from "../messages/language.ts";
import { Button } from "../ui/button.tsx";
import { CopyButton } from "../ui/copy-button.tsx";
import { Dialog } from "../ui/dialog.tsx";
import { ErrorNote } from "../ui/error-note.tsx";
import { SelectField } from "../ui/field.tsx";
import { useNow } from "../ui/use-now.ts";
import { type Duration, durations, toDuration } from "./durations.ts";
import { useSession } from "./session.ts";

/** When the session ends, and signing out. */
export function SessionDialog({ onClose }: { onClose: () => void }) {
  const { session: text, shell, ui } = useMessages();
  const { address, endsAt, endAfter, signOut, error } = useSession();
  const now = useNow();
  return (
    <Dialog title={text.title} onClose={onClose}>
      <p className="session-address">
        <span className="mono">{shorten(address, 10, 8)}</span>
        <CopyButton text={address} what={shell.address} />
      </p>
      <SelectField
        label={text.lasts}
        hint={text.until(formatTime(endsAt))}
        value={toDuration(endsAt - now)}
        choices={Object.keys(durations).map((value) => ({
          value: value as Duration,
          label: text.durations[value as Duration],
        }))}
        onChoose={(duration) => endAfter(durations[duration])}
      />
      <p className="quiet">{text.lockHint}</p>
      <p className="quiet">{text.signOutHint}</p>
      {error && !isKeeplightError(error, "SESSION_UNFINISHED") && <ErrorNote error={error} />}
      <div className="dialog-actions">
        <Button kind="quiet" onClick={onClose}>
          {ui.close}
        </Button>
        <Button kind="danger" icon="leave" onClick={() => signOut()}>
          {text.signOut}
        </Button>
      </div>
    </Dialog>
  );
}
