import { explainConditions } from "@keeplight/conditions";
import { useKit } from "@keeplight/react";
import type { AccessConditions } from "keeplight";
import { type FormEvent, useMemo, useState } from "react";
import type { Messages } from "../messages/en.ts";
import { useMessages } from "../messages/language.ts";
import { useSession } from "../session/session.ts";
import { Button } from "../ui/button.tsx";
import { SegmentedControl } from "../ui/segmented-control.tsx";
import { useToast } from "../ui/toasts.tsx";
import { useAction } from "../ui/use-action.ts";
import { AddressCheck } from "./address-check.tsx";
import { type ConditionDraft, createDraft, findProblems } from "./condition-draft.ts";
import { ConditionFields } from "./condition-fields.tsx";
import { type RuleDraft, toAggregator, toCondition } from "./condition-format.ts";
import { SavedRules } from "./saved-rules.tsx";

/** The form for a file's rules, what they mean, a test, and the rules that are saved. */
export function ConditionsEditor({
  cid,
  saved,
  initial,
  onEdit,
  reload,
}: {
  cid: string;
  saved: AccessConditions;
  initial: RuleDraft;
  /** Puts other rules into the form. */
  onEdit: (rule: RuleDraft) => void;
  reload: () => void;
}) {
  const { rules } = useMessages();
  const kit = useKit();
  const toast = useToast();
  const { address: me } = useSession();
  const [drafts, setDrafts] = useState(initial.drafts);
  const [join, setJoin] = useState(initial.join);
  const [tested, setTested] = useState<string>(me);
  const saving = useAction();

  const conditions = useMemo(() => drafts.map(toCondition), [drafts]);
  const aggregator = toAggregator(drafts, join);
  const summary = useMemo(() => summarize(drafts, join, rules), [drafts, join, rules]);

  const save = async (event: FormEvent) => {
    event.preventDefault();
    if (summary.text === undefined) return;
    const isDone = await saving.run(() =>
      kit.kavachSetAccessConditions(cid, { conditions, aggregator, decryptionType: "ACCESS_CONDITIONS" }),
    );
    if (isDone) toast(rules.saved);
    reload();
  };
  const change = (id: number, update: (known: ConditionDraft) => ConditionDraft) =>
    setDrafts((known) => known.map((draft) => (draft.id === id ? update(draft) : draft)));
  const add = () => setDrafts([...drafts, createDraft(Math.max(...drafts.map(({ id }) => id)) + 1)]);
  const remove = (id: number) => setDrafts(drafts.filter((draft) => draft.id !== id));

  return (
    <div className="columns conditions">
      <section className="card conditions-form" aria-labelledby="conditions-title">
        <h2 id="conditions-title">{rules.title}</h2>
        <form className="stack" onSubmit={save}>
          {drafts.map((draft) => (
            <ConditionFields
              key={draft.id}
              draft={draft}
              change={(update) => change(draft.id, update)}
              remove={drafts.length > 1 ? () => remove(draft.id) : undefined}
            />
          ))}
          <div className="condition-bar">
            <Button icon="plus" onClick={add}>
              {rules.addCondition}
            </Button>
            {drafts.length > 1 && (
              <SegmentedControl
                label={rules.match}
                value={join}
                choices={[
                  { value: "and", label: rules.joins.and },
                  { value: "or", label: rules.joins.or },
                ]}
                onChoose={setJoin}
              />
            )}
          </div>
          <Button kind="primary" type="submit" busy={saving.status === "busy"} disabled={summary.text === undefined}>
            {rules.save}
          </Button>
        </form>
      </section>
      <section className="card stack conditions-meaning" aria-labelledby="meaning-title">
        <h2 id="meaning-title">{rules.summary}</h2>
        {summary.text !== undefined ? (
          <pre className="explanation" lang="en">
            {summary.text}
          </pre>
        ) : (
          <p className="explanation">{summary.problem}</p>
        )}
        <AddressCheck
          // A result belongs to the rules that were tested.
          key={JSON.stringify([conditions, aggregator])}
          conditions={conditions}
          aggregator={aggregator}
          ready={summary.text !== undefined}
          address={tested}
          onAddress={setTested}
        />
      </section>
      <SavedRules cid={cid} saved={saved} saving={saving} onEdit={onEdit} reload={reload} />
    </div>
  );
}

/** What the rules mean, or what is missing, without the kit's condition numbers. */
function summarize(
  drafts: readonly ConditionDraft[],
  join: RuleDraft["join"],
  rules: Messages["rules"],
): { text: string; problem?: undefined } | { text?: undefined; problem: string } {
  if (drafts.some((draft) => Object.keys(findProblems(draft)).length > 0)) {
    return { problem: rules.incomplete };
  }
  try {
    return { text: explainConditions(drafts.map(toCondition), toAggregator(drafts, join)) };
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    return { problem: message.replace(/^Condition validation error: /, "") };
  }
}
