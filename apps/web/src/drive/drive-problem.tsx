import { useMessages } from "../messages/language.ts";
import { useAccountData } from "../session/account-data.tsx";
import { Button } from "../ui/button.tsx";
import { Icon } from "../ui/icon.tsx";

/** Says that the folders of the account cannot be opened, if that is so. */
export function DriveProblem() {
  const { drive: texts, ui } = useMessages();
  const { drive } = useAccountData();
  if (drive.status !== "failed") return null;
  return (
    <div className="file-list-failed">
      <div className="note note-error" role="alert">
        <Icon name="warning" />
        <div>
          <p className="note-title">{texts.unavailable}</p>
          <p>{texts.unavailableHint}</p>
          <Button icon="retry" onClick={() => void drive.reload()}>
            {ui.tryAgain}
          </Button>
        </div>
      </div>
    </div>
  );
}
