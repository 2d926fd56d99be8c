import type { WalletState } from "@keeplight/react";
import { useLayoutEffect, useRef } from "react";
import { useMessages } from "../messages/language.ts";
import type { SignIn } from "../session/use-sign-in.ts";
import { Button } from "../ui/button.tsx";
import { ErrorNote } from "../ui/error-note.tsx";
import { WalletIcon } from "./wallet-item.tsx";

/** The chosen wallet, and what it waits for or why that failed. */
export function ConnectProgress({
  state,
  address,
  signIn,
}: {
  state: Exclude<WalletState, { status: "disconnected" }>;
  /** Of a devnet's account. */
  address: string | undefined;
  signIn: SignIn;
}) {
  const { connect, ui } = useMessages();
  const { icon, name } = state.wallet;
  const panel = useRef<HTMLDivElement>(null);
  // The button that was pressed is gone.
  useLayoutEffect(() => panel.current?.focus(), []);
  const failure = state.status === "failed" ? state.error : signIn.error;
  return (
    <div ref={panel} tabIndex={-1} className="connect-progress">
      <div className="connect-wallet">
        <WalletIcon icon={icon} address={address} />
        <p role="status">
          <strong>{name}</strong>
          {!failure && (
            <span className="quiet">{state.status === "connecting" ? connect.waiting(name) : connect.sign(name)}</span>
          )}
        </p>
        {!failure && <span className="spinner" aria-hidden="true" />}
      </div>
      {failure ? (
        <ErrorNote error={failure} retry={signIn.retry}>
          <Button onClick={signIn.cancel}>{connect.chooseAnother}</Button>
        </ErrorNote>
      ) : (
        <>
          <p className="hint">{connect.waitingHint}</p>
          <div>
            <Button onClick={signIn.cancel}>{ui.cancel}</Button>
          </div>
        </>
      )}
    </div>
  );
}
