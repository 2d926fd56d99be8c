import { shorten } from "../messages/format.ts";
import { useMessages } from "../messages/language.ts";
import { Button } from "../ui/button.tsx";

/** Offers the account that another tab has signed in. */
export function OtherAccount({ address, resume }: { address: string; resume: () => void }) {
  const { session } = useMessages();
  const short = shorten(address, 6, 4);
  return (
    <div className="note" role="status">
      <div>
        <p>{session.otherTab(short)}</p>
        <div className="note-actions">
          <Button kind="primary" onClick={resume}>
            {session.goOn(short)}
          </Button>
        </div>
      </div>
    </div>
  );
}
