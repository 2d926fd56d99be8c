import { type FormEvent, useRef, useState } from "react";
import { useMessages } from "../messages/language.ts";
import { Button } from "../ui/button.tsx";
import { PasswordField } from "../ui/password-field.tsx";
import { Screen } from "../ui/screen.tsx";
import { type LinkedFile, openReceivedLink, WrongPassword } from "./open-received-link.ts";

/** Asks for the password of a link. It is in this page's memory only, and not sent to anyone. */
export function LinkPassword({
  link,
  onOpen,
  onFail,
}: {
  link: string;
  onOpen: (file: LinkedFile) => void;
  /** For what no other password would open. */
  onFail: (error: unknown) => void;
}) {
  const { shared } = useMessages();
  const [password, setPassword] = useState("");
  const [isBusy, setBusy] = useState(false);
  const [isWrong, setWrong] = useState(false);
  const form = useRef<HTMLFormElement>(null);
  const open = async (event: FormEvent) => {
    event.preventDefault();
    if (isBusy || password === "") return;
    setBusy(true);
    try {
      onOpen(await openReceivedLink(link, password));
    } catch (error) {
      setBusy(false);
      if (!(error instanceof WrongPassword)) return onFail(error);
      setWrong(true);
      form.current?.querySelector("input")?.focus();
    }
  };
  return (
    <Screen title={shared.passwordTitle} lead={<p>{shared.passwordLead}</p>}>
      <form ref={form} className="card stack link-password" onSubmit={open}>
        <PasswordField
          label={shared.password}
          value={password}
          required
          autoComplete="off"
          problem={isWrong ? shared.wrongPassword : undefined}
          hint={shared.passwordHint}
          onChange={({ target }) => {
            setPassword(target.value);
            setWrong(false);
          }}
        />
        <Button kind="primary" type="submit" busy={isBusy} disabled={password === ""}>
          {shared.open}
        </Button>
      </form>
    </Screen>
  );
}
