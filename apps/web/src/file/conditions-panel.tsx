import { useState } from "react";
import { useMessages } from "../messages/language.ts";
import { useSession } from "../session/session.ts";
import { AccessPending, type AccessQuery } from "./access-pending.tsx";
import { createDraft } from "./condition-draft.ts";
import type { RuleDraft } from "./condition-format.ts";
import { ConditionsEditor } from "./conditions-editor.tsx";
import { explainSaved } from "./explain-saved.ts";

const emptyRule: RuleDraft = { drafts: [createDraft(1)], join: "and" };

/** Access rules on chain state: entered in a form, described in English, and tested before they are saved. */
export function ConditionsPanel({ cid, access }: { cid: string; access: AccessQuery }) {
  const { rules } = useMessages();
  const { address: me } = useSession();
  const [edited, setEdited] = useState<{ rule: RuleDraft; version: number }>({ rule: emptyRule, version: 0 });
  const saved = access.value;

  if (!saved) return <AccessPending access={access} />;
  if (saved.owner.toLowerCase() !== me) {
    const explained = explainSaved(saved);
    return (
      <section className="card stack">
        <h2>{rules.othersTitle}</h2>
        {explained ? (
          <pre className="explanation" lang="en">
            {explained}
          </pre>
        ) : (
          <p className="quiet">{rules.noRules}</p>
        )}
        <p className="quiet">{rules.othersHint}</p>
      </section>
    );
  }
  return (
    <ConditionsEditor
      key={edited.version}
      cid={cid}
      saved={saved}
      initial={edited.rule}
      onEdit={(rule) => setEdited(({ version }) => ({ rule, version: version + 1 }))}
      reload={access.reload}
    />
  );
}
