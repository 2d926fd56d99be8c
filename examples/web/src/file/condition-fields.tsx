import { IconButton } from "../ui/button.tsx";
import { SelectField, TextField } from "../ui/field.tsx";
import { type ConditionDraft, chains, comparators, findProblems, getValueLabel, kinds } from "./condition-draft.ts";

/** The fields of one condition. */
export function ConditionFields({
  draft,
  change,
  remove,
}: {
  draft: ConditionDraft;
  change: (draft: ConditionDraft) => void;
  /** Missing if it is the only one. */
  remove: (() => void) | undefined;
}) {
  const { id, kind, chain, contract, tokenId, comparator, value } = draft;
  const problems = findProblems(draft);
  const isToken = kind !== "coin" && kind !== "block";
  return (
    <fieldset className="condition">
      <legend className="visually-hidden">Condition {id}</legend>
      <div className="condition-head">
        <span className="badge">Condition {id}</span>
        {remove && <IconButton icon="trash" label={`Remove condition ${id}`} onClick={remove} />}
      </div>
      <SelectField
        label="Requirement"
        value={kind}
        choices={kinds}
        onChoose={(chosen) => change({ ...draft, kind: chosen })}
      />
      <SelectField
        label="Chain"
        value={chain}
        choices={chains.map((name) => ({ value: name as string, label: name.replace("_", " ") }))}
        onChoose={(chosen) => change({ ...draft, chain: chosen })}
      />
      {isToken && (
        <div className={kind === "ERC1155" ? undefined : "field-wide"}>
          <TextField
            label="Contract"
            placeholder="0x…"
            value={contract}
            problem={problems.contract}
            onChange={({ target }) => change({ ...draft, contract: target.value })}
          />
        </div>
      )}
      {kind === "ERC1155" && (
        <TextField
          label="Token ID"
          inputMode="numeric"
          value={tokenId}
          problem={problems.tokenId}
          onChange={({ target }) => change({ ...draft, tokenId: target.value })}
        />
      )}
      <SelectField
        label="Condition"
        value={comparator}
        choices={comparators}
        onChoose={(chosen) => change({ ...draft, comparator: chosen })}
      />
      <TextField
        label={getValueLabel(draft)}
        inputMode="decimal"
        value={value}
        problem={problems.value}
        onChange={({ target }) => change({ ...draft, value: target.value })}
      />
    </fieldset>
  );
}
