import { explainConditions } from "keeplight";
import { useKit } from "keeplight/react";
import { type FormEvent, useCallback, useMemo, useState } from "react";
import { useSession } from "../session/session.ts";
import { Button } from "../ui/button.tsx";
import { ErrorNote } from "../ui/error-note.tsx";
import { SegmentedControl } from "../ui/segmented-control.tsx";
import { useToast } from "../ui/toasts.tsx";
import { useAction } from "../ui/use-action.ts";
import { useQuery } from "../ui/use-query.ts";
import { AddressCheck } from "./address-check.tsx";
import { createDraft, findProblems, toAggregator, toCondition } from "./condition-draft.ts";
import { ConditionFields } from "./condition-fields.tsx";
import { explainSaved } from "./explain-saved.ts";

const joins = [
  { value: "and", label: "Match all" },
  { value: "or", label: "Match any" },
] as const;

/** Access rules on chain state: entered in a form, described in English, and tested before they are saved. */
export function ConditionsPanel({ cid }: { cid: string }) {
  const kit = useKit();
  const toast = useToast();
  const { address: me } = useSession();
  const load = useCallback((signal: AbortSignal) => kit.kavachGetAccessConditions(cid, { signal }), [kit, cid]);
  const access = useQuery(load);
  const [drafts, setDrafts] = useState(() => [createDraft(1)]);
  const [join, setJoin] = useState<"and" | "or">("and");
  const [tested, setTested] = useState<string>(me);
  const saving = useAction();

  const conditions = useMemo(() => drafts.map(toCondition), [drafts]);
  const aggregator = toAggregator(drafts, join);
  const explanation = useMemo(() => {
    if (drafts.some((draft) => Object.keys(findProblems(draft)).length > 0))
      return { text: undefined, error: undefined };
    try {
      return { text: explainConditions(conditions, aggregator), error: undefined };
    } catch (error) {
      return { text: undefined, error };
    }
  }, [drafts, conditions, aggregator]);
  const owner = access.value?.owner.toLowerCase();
  const saved = access.value && explainSaved(access.value);

  const save = async (event: FormEvent) => {
    event.preventDefault();
    const done = await saving.run((signal) =>
      kit.kavachSetAccessConditions(cid, { conditions, aggregator, decryptionType: "ACCESS_CONDITIONS", signal }),
    );
    if (done) toast("Rules saved on all five nodes");
    access.reload();
  };
  const add = () => setDrafts([...drafts, createDraft(Math.max(...drafts.map(({ id }) => id)) + 1)]);

  if (access.status === "loading") return <section className="card preview preview-closed" aria-busy="true" />;
  if (owner !== undefined && owner !== me) {
    return (
      <section className="card stack">
        <h2>Conditions</h2>
        {saved ? <pre className="explanation">{saved}</pre> : <p className="quiet">No rules set</p>}
        <p className="quiet">Only the owner can change rules.</p>
      </section>
    );
  }
  return (
    <div className="columns conditions">
      <section className="card conditions-form" aria-labelledby="conditions-title">
        <h2 id="conditions-title">Allow anyone who…</h2>
        <form className="stack" onSubmit={save}>
          {drafts.map((draft) => (
            <ConditionFields
              key={draft.id}
              draft={draft}
              change={(changed) => setDrafts(drafts.map((each) => (each.id === draft.id ? changed : each)))}
              remove={drafts.length > 1 ? () => setDrafts(drafts.filter((each) => each.id !== draft.id)) : undefined}
            />
          ))}
          <div className="condition-bar">
            <Button icon="plus" onClick={add}>
              Add condition
            </Button>
            {drafts.length > 1 && <SegmentedControl label="Match" value={join} choices={joins} onChoose={setJoin} />}
          </div>
          <Button
            kind="primary"
            type="submit"
            busy={saving.status === "busy"}
            disabled={explanation.text === undefined || owner === undefined}
          >
            Save rules
          </Button>
        </form>
      </section>
      <section className="card stack conditions-meaning" aria-labelledby="meaning-title">
        <h2 id="meaning-title">Summary</h2>
        {explanation.text !== undefined ? (
          <pre className="explanation">{explanation.text}</pre>
        ) : (
          <p className="explanation">{describeProblem(explanation.error)}</p>
        )}
        <AddressCheck
          // A result belongs to the rules that were tested.
          key={JSON.stringify([conditions, aggregator])}
          conditions={conditions}
          aggregator={aggregator}
          ready={explanation.text !== undefined}
          address={tested}
          onAddress={setTested}
        />
      </section>
      <section className="card stack conditions-saved" aria-labelledby="saved-title">
        <h2 id="saved-title">Current rules</h2>
        {saved ? (
          <pre className="explanation">{saved}</pre>
        ) : (
          <p className="quiet">No rules set. Only you and people you share with can view it.</p>
        )}
        {saving.status === "failed" && (
          <ErrorNote error={saving.error}>
            {saving.resume && (
              <Button icon="retry" onClick={() => saving.resume?.().then(access.reload)}>
                Retry remaining nodes
              </Button>
            )}
          </ErrorNote>
        )}
        {access.status === "failed" && (
          <ErrorNote error={access.error}>
            <Button icon="retry" onClick={access.reload}>
              Try again
            </Button>
          </ErrorNote>
        )}
      </section>
    </div>
  );
}

/** What is missing, without the kit's condition numbers. */
function describeProblem(error: unknown): string {
  if (error === undefined) return "Complete the fields to see a summary.";
  const message = error instanceof Error ? error.message : String(error);
  return message.replace(/^Condition validation error: /, "");
}
