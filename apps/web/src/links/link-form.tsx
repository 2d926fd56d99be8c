import { type FormEvent, type ReactNode, useState } from "react";
import { useMessages } from "../messages/language.ts";
import { durations } from "../session/durations.ts";
import { Button } from "../ui/button.tsx";
import { CopyButton } from "../ui/copy-button.tsx";
import { ErrorNote } from "../ui/error-note.tsx";
import { SelectField } from "../ui/field.tsx";
import { PasswordField } from "../ui/password-field.tsx";
import { ratePassword } from "./link-password-strength.ts";
import { type LinkTarget, useCreateLink } from "./use-create-link.ts";

/** When a link ends by itself, in milliseconds from now. */
const ends = { day: durations.day, week: durations.week, month: durations.month, never: undefined } as const;
type End = keyof typeof ends;

/** Creates a link that its maker can end. */
export function LinkForm({
  target,
  isReady,
  onCreate,
  children,
}: {
  target: LinkTarget;
  /** Whether the drive is open. */
  isReady: boolean;
  onCreate: () => void;
  /** Between the form and its result. */
  children: ReactNode;
}) {
  const { links, file } = useMessages();
  const [end, setEnd] = useState<End>("week");
  const [password, setPassword] = useState("");
  const [hadPassword, setHadPassword] = useState(false);
  const { action, created, create, retry } = useCreateLink(target);
  const strength = ratePassword(password);
  const isBusy = action.status === "busy";
  const finish = (isDone: boolean) => {
    if (isDone) {
      setHadPassword(password !== "");
      setPassword("");
    }
    onCreate();
  };
  const submit = async (event: FormEvent) => {
    event.preventDefault();
    if (isBusy || !isReady || strength === "short") return;
    finish(await create({ password: password === "" ? undefined : password, endsAfterMs: ends[end] }));
  };
  return (
    <>
      <form className="stack" onSubmit={submit}>
        <p className="quiet">{links.lead}</p>
        <SelectField
          label={links.endsAfter}
          value={end}
          choices={(Object.keys(ends) as End[]).map((value) => ({ value, label: links.durations[value] }))}
          onChoose={setEnd}
        />
        <PasswordField
          label={links.password}
          value={password}
          autoComplete="new-password"
          problem={strength === "short" ? links.strengths.short : undefined}
          hint={links.strengths[strength]}
          onChange={({ target: { value } }) => setPassword(value)}
        />
        <Button kind="primary" type="submit" icon="link" busy={isBusy || !isReady} disabled={strength === "short"}>
          {links.create}
        </Button>
      </form>
      {children}
      <div role="status">
        {created && (
          <div ref={reveal} className="share-link">
            <p>{hadPassword ? links.createdWithPassword : links.created}</p>
            <CopyButton text={created.url} what={file.link} label={links.copyNew} secret />
          </div>
        )}
      </div>
      {action.status === "failed" && (
        <ErrorNote error={action.error} isResult retry={async () => finish(await retry())} />
      )}
    </>
  );
}

/** It is below what was pressed. */
function reveal(element: HTMLElement | null): void {
  element?.scrollIntoView({ block: "nearest" });
}
