import { IconButton } from "../ui/button.tsx";
import { SelectField, TextField } from "../ui/field.tsx";
import { type ConditionDraft, chains, comparators, findProblems, getValueLabel, kinds } from "./condition-draft.ts";
import { useToken } from "./use-token.ts";

/** The fields of one condition. */
export function ConditionFields({
  draft,
  change,
  remove,
}: {
  draft: ConditionDraft;
  /** Updates the latest draft, which may have changed since. */
  change: (update: (known: ConditionDraft) => ConditionDraft) => void;
  /** Missing if it is the only one. */
  remove: (() => void) | undefined;
}) {
  const { id, kind, chain, contract, tokenId, comparator, value } = draft;
  const problems = findProblems(draft);
  useToken(draft, change);
  const set = (fields: Partial<ConditionDraft>) => change((known) => ({ ...known, ...fields }));
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
        // A saved amount whose unit is not read yet means nothing for another kind.
        onChoose={(chosen) => set({ kind: chosen, ...(draft.isBaseValue ? { value: "", isBaseValue: false } : {}) })}
      />
      <SelectField
        label="Chain"
        value={chain}
        choices={chains.map((name) => ({ value: name as string, label: name.replace("_", " ") }))}
        onChoose={(chosen) => set({ chain: chosen })}
      />
      {isToken && (
        <div className={kind === "ERC1155" ? undefined : "field-wide"}>
          <TextField
            label="Contract"
            placeholder="0x…"
            value={contract}
            problem={problems.contract}
            onChange={({ target }) => set({ contract: target.value })}
          />
        </div>
      )}
      {kind === "ERC1155" && (
        <TextField
          label="Token ID"
          inputMode="numeric"
          value={tokenId}
          problem={problems.tokenId}
          onChange={({ target }) => set({ tokenId: target.value })}
        />
      )}
      <SelectField
        label="Condition"
        value={comparator}
        choices={comparators}
        onChoose={(chosen) => set({ comparator: chosen })}
      />
      <TextField
        label={getValueLabel(draft)}
        inputMode="decimal"
        value={value}
        problem={problems.value}
        disabled={draft.isBaseValue}
        onChange={({ target }) => set({ value: target.value })}
      />
    </fieldset>
  );
}
