import { type FormEvent, useState } from "react";
import { ratePassword } from "../links/link-password-strength.ts";
import { useMessages } from "../messages/language.ts";
import { useAccountData } from "../session/account-data.tsx";
import { useSession } from "../session/session.ts";
import { Button } from "../ui/button.tsx";
import { ErrorNote } from "../ui/error-note.tsx";
import { PasswordField } from "../ui/password-field.tsx";
import { ProgressBar } from "../ui/progress-bar.tsx";
import { KitResult } from "./kit-result.tsx";
import { useMakeKit } from "./use-make-kit.ts";

/** Downloads a recovery kit of the account, sealed by a password. */
export function KitPanel() {
  const { settings, ui } = useMessages();
  const { files: all, drive } = useAccountData();
  const { address } = useSession();
  const { state, make, abort } = useMakeKit();
  const [password, setPassword] = useState("");
  const [again, setAgain] = useState("");
  const files = all.files.filter(({ encryption }) => encryption);
  const strength = ratePassword(password);
  const isTyped = strength === "weak" || strength === "good";
  const isRunning = state.status === "running";
  // Until then nobody knows the names.
  const isLoading = !all.isComplete || drive.status === "loading";
  const isReady = !isLoading && files.length > 0 && isTyped && again === password;

  const submit = async (event: FormEvent) => {
    event.preventDefault();
    if (!isReady || isRunning) return;
    const day = new Date().toISOString().slice(0, 10);
    if (!(await make(files, `keeplight-kit-${address.slice(0, 8)}-${day}.age`, password))) return;
    setPassword("");
    setAgain("");
  };
  return (
    <section className="card settings-card" aria-labelledby="kit-title">
      <h2 id="kit-title">{settings.kit}</h2>
      <p className="quiet">{settings.kitHint}</p>
      <form className="stack" onSubmit={submit}>
        <PasswordField
          label={settings.kitPassword}
          value={password}
          autoComplete="new-password"
          problem={strength === "short" ? settings.kitStrengths.short : undefined}
          hint={settings.kitStrengths[strength]}
          onChange={({ target: { value } }) => setPassword(value)}
        />
        <PasswordField
          label={settings.kitPasswordAgain}
          value={again}
          autoComplete="new-password"
          problem={again !== "" && !password.startsWith(again) ? settings.kitDiffers : undefined}
          hint={settings.kitAgainHint}
          onChange={({ target: { value } }) => setAgain(value)}
        />
        {isRunning ? (
          <div className="settings-running">
            <p className="quiet numbers">{settings.kitProgress(state.done, state.total)}</p>
            <ProgressBar fraction={state.done / Math.max(state.total, 1)} label={settings.kit} />
            <Button onClick={abort}>{ui.cancel}</Button>
          </div>
        ) : (
          <div className="settings-actions">
            <Button kind="primary" type="submit" icon="download" disabled={!isReady}>
              {settings.kitDownload}
            </Button>
            {isLoading && all.status !== "failed" && <span className="hint">{settings.kitLoading}</span>}
            {drive.status === "failed" && <span className="hint hint-problem">{settings.kitNameless}</span>}
            {all.isComplete && files.length === 0 && <span className="hint">{settings.kitNone}</span>}
          </div>
        )}
      </form>
      <div role="status">{state.status === "done" && <KitResult files={state.files} failures={state.failures} />}</div>
      {state.status === "failed" && <ErrorNote error={state.error} isResult />}
      {all.status === "failed" && !all.isComplete && <ErrorNote error={all.error} retry={() => void all.reload()} />}
    </section>
  );
}
