import { isKeeplightError } from "keeplight";
import { explainError } from "../messages/explain-error.ts";
import { shorten } from "../messages/format.ts";
import { useMessages } from "../messages/language.ts";
import { useSession } from "../session/session.ts";
import { Button } from "../ui/button.tsx";

/** Says that the wallet is of another account, and offers to sign that in. It takes no place of other content. */
export function WalletNotice() {
  const { session: text } = useMessages();
  const { address, walletAccount, isSigningIn, switchAccount, error } = useSession();
  const failure = error && !isKeeplightError(error, "SESSION_UNFINISHED") ? error : undefined;
  return (
    <div role="status" className="wallet-notice">
      {walletAccount !== undefined && (
        <div className="wallet-notice-body">
          <p>{text.walletChanged(shorten(walletAccount, 6, 4), shorten(address, 6, 4))}</p>
          {failure && !isSigningIn && <p className="hint hint-problem">{explainError(failure).title}</p>}
          <Button busy={isSigningIn} onClick={switchAccount}>
            {text.signInAs(shorten(walletAccount, 6, 4))}
          </Button>
        </div>
      )}
    </div>
  );
}
