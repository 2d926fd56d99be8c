import { type ComponentProps, useState } from "react";
import { useMessages } from "../messages/language.ts";
import { Button } from "./button.tsx";
import { TextField } from "./field.tsx";

/** A password with its label, which can be shown. */
export function PasswordField(props: ComponentProps<typeof TextField>) {
  const { ui } = useMessages();
  const [isShown, setShown] = useState(false);
  return (
    <div className="password-field">
      <TextField {...props} type={isShown ? "text" : "password"} />
      <Button kind="quiet" onClick={() => setShown(!isShown)}>
        {isShown ? ui.hidePassword : ui.showPassword}
      </Button>
    </div>
  );
}
