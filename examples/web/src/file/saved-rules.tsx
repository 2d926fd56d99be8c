import type { AccessConditions } from "keeplight";
import { useKit } from "keeplight/react";
import { useState } from "react";
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
  const kit = useKit();
  const toast = useToast();
  const [isAsking, setAsking] = useState(false);
  const explained = explainSaved(saved);
  const isShown = explained !== undefined && saved.conditionsSolana.length === 0;
  const rule = isShown ? toRuleDraft(saved.conditions, saved.aggregator) : undefined;
  const isBusy = saving.status === "busy";

  const remove = async () => {
    const isDone = await saving.run(() =>
      kit.kavachSetAccessConditions(cid, { conditions: [closedRule], decryptionType: "ADDRESS" }),
    );
    setAsking(false);
    if (isDone) toast("Rules removed on all five nodes");
    reload();
  };
  const resume = async () => {
    if (await saving.resume?.()) toast("Saved on all five nodes");
    reload();
  };
  return (
    <section className="card stack conditions-saved" aria-labelledby="saved-title">
      <h2 id="saved-title">Current rules</h2>
      {explained ? (
        <>
          <pre className="explanation">{explained}</pre>
          <div className="condition-bar">
            {rule ? (
              <Button disabled={isBusy} onClick={() => onEdit(rule)}>
                Edit rules
              </Button>
            ) : (
              <p className="quiet">This form can’t show these rules. Saving others replaces them.</p>
            )}
            <Button kind="quiet" icon="trash" disabled={isBusy} onClick={() => setAsking(true)}>
              Remove rules
            </Button>
          </div>
        </>
      ) : (
        <p className="quiet">No rules set. Only you and people you share with can view it.</p>
      )}
      {saving.status === "failed" && (
        <ErrorNote error={saving.error}>
          {saving.resume && (
            <Button icon="retry" onClick={resume}>
              Retry remaining nodes
            </Button>
          )}
        </ErrorNote>
      )}
      {isAsking && (
        <ConfirmDialog
          title="Remove the rules?"
          action="Remove rules"
          busy={isBusy}
          onConfirm={remove}
          onCancel={() => isBusy || setAsking(false)}
        >
          <p>
            Only you and people you share with can open the file then. People who have opened it before may have kept
            it.
          </p>
        </ConfirmDialog>
      )}
    </section>
  );
}
