import { useKit } from "@keeplight/react";
import type { AccessConditions } from "keeplight";
import { useState } from "react";
import { useMessages } from "../messages/language.ts";
import { useOfferChanges } from "../session/offered-changes.ts";
import { Button } from "../ui/button.tsx";
import { ConfirmDialog } from "../ui/confirm-dialog.tsx";
import { ErrorNote } from "../ui/error-note.tsx";
import { useToast } from "../ui/toasts.tsx";
import type { Action } from "../ui/use-action.ts";
import { closedRule } from "./closed-rule.ts";
import { type RuleDraft, toRuleDraft } from "./condition-format.ts";
import { explainSaved } from "./explain-saved.ts";

/** The rules on the key nodes: to edit in the form, or to remove. */
export function SavedRules({
  cid,
  saved,
  saving,
  onEdit,
  reload,
}: {
  cid: string;
  saved: AccessConditions;
  /** The latest change. */
  saving: Action;
  onEdit: (rule: RuleDraft) => void;
  reload: () => void;
}) {
  const { rules, people } = useMessages();
  const kit = useKit();
  const toast = useToast();
  const [isAsking, setAsking] = useState(false);
  const explained = explainSaved(saved);
  const isShown = explained !== undefined && saved.conditionsSolana.length === 0;
  const rule = isShown ? toRuleDraft(saved.conditions, saved.aggregator) : undefined;
  const isBusy = saving.status === "busy";
  useOfferChanges(saving.resume ? [cid] : []);

  const remove = async () => {
    const isDone = await saving.run(() =>
      kit.kavachSetAccessConditions(cid, { conditions: [closedRule], decryptionType: "ADDRESS" }),
    );
    setAsking(false);
    if (isDone) toast(rules.removed);
    reload();
  };
  const resume = async () => {
    if (await saving.resume?.()) toast(people.savedOnAll);
    reload();
  };
  return (
    <section className="card stack conditions-saved" aria-labelledby="saved-title">
      <h2 id="saved-title">{rules.current}</h2>
      {explained ? (
        <>
          <pre className="explanation" lang="en">
            {explained}
          </pre>
          <div className="condition-bar">
            {rule ? (
              <Button disabled={isBusy} onClick={() => onEdit(rule)}>
                {rules.edit}
              </Button>
            ) : (
              <p className="quiet">{rules.cannotEdit}</p>
            )}
            <Button kind="quiet" icon="trash" disabled={isBusy} onClick={() => setAsking(true)}>
              {rules.remove}
            </Button>
          </div>
        </>
      ) : (
        <p className="quiet">{rules.noRulesHint}</p>
      )}
      {saving.status === "failed" && (
        <ErrorNote error={saving.error} isResult>
          {saving.resume && (
            <Button icon="retry" onClick={resume}>
              {people.retryNodes}
            </Button>
          )}
        </ErrorNote>
      )}
      {isAsking && (
        <ConfirmDialog
          title={rules.removeTitle}
          action={rules.remove}
          busy={isBusy}
          onConfirm={remove}
          onCancel={() => isBusy || setAsking(false)}
        >
          <p>{rules.removeBody}</p>
        </ConfirmDialog>
      )}
    </section>
  );
}
