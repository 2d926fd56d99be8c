import type { PaymentSteps, TaskState } from "@keeplight/react";
import type { Payment, PaymentProgress, PaymentStep, PaymentToken } from "keeplight";
import type { Messages } from "../messages/en.ts";
import { shorten } from "../messages/format.ts";
import { useMessages } from "../messages/language.ts";
import { CopyButton } from "../ui/copy-button.tsx";
import { Icon } from "../ui/icon.tsx";

/** The transactions of a payment, updated while it runs. */
export function PaymentTimeline({
  state,
  token = "native",
}: {
  state: TaskState<Payment, PaymentSteps>;
  token: PaymentToken | undefined;
}) {
  const { pay } = useMessages();
  const titles: Record<PaymentStep, string> = {
    "reset-allowance": pay.resetAllowance(token.toUpperCase()),
    approve: pay.approve(token.toUpperCase()),
    pay: pay.transfer,
  };
  const failed = state.status === "failed";
  const seen = state.status === "running" || failed ? (state.progress?.steps ?? []) : [];
  const done =
    state.status === "done"
      ? state.result.transactions.map(({ step, hash, link }) => ({
          phase: step,
          hash,
          link,
          state: "confirmed" as const,
        }))
      : [];
  const steps = state.status === "done" ? done : seen;
  return (
    <ol className="steps" aria-label={pay.steps} aria-live="polite">
      <Step mark={steps.length > 0 || state.status === "done" ? "done" : failed ? "failed" : "now"} title={pay.check} />
      {steps.map((step) => (
        <Step
          key={step.phase}
          mark={step.state === "confirmed" ? "done" : failed ? "failed" : "now"}
          title={titles[step.phase as PaymentStep]}
          detail={describeStep(pay, step.state, failed)}
          {...(step.hash ? { hash: step.hash } : {})}
          {...(step.link ? { link: step.link } : {})}
        />
      ))}
      {state.status === "done" && <Step mark="done" title={pay.paid} />}
    </ol>
  );
}

function describeStep(pay: Messages["pay"], state: PaymentProgress["state"], failed: boolean): string {
  if (state === "confirmed") return pay.confirmed;
  if (state === "sent") return failed ? pay.sent : pay.pending;
  return failed ? pay.notSent : pay.confirmInWallet;
}

function Step({
  mark,
  title,
  detail,
  hash,
  link,
}: {
  mark: "done" | "now" | "failed";
  title: string;
  detail?: string;
  hash?: string;
  link?: string;
}) {
  const { pay } = useMessages();
  return (
    <li className={`step step-${mark}`}>
      <span className="step-mark">
        {mark === "now" ? (
          <span className="spinner" aria-hidden="true" />
        ) : (
          <Icon name={mark === "done" ? "check" : "close"} size={16} />
        )}
      </span>
      <div>
        <strong>{title}</strong>
        {detail && (
          <p className="quiet">
            {detail}
            {hash && " · "}
            {hash && link && (
              <a href={link} target="_blank" rel="noreferrer" className="mono">
                {shorten(hash, 10, 6)}
              </a>
            )}
            {hash && !link && <span className="mono">{shorten(hash, 10, 6)}</span>}
            {hash && <CopyButton text={hash} what={pay.hash} />}
          </p>
        )}
      </div>
    </li>
  );
}
