import { useMessages } from "../messages/language.ts";
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
  const { rules } = useMessages();
  const { id, kind, chain, contract, tokenId, comparator, value } = draft;
  const problems = findProblems(draft);
  useToken(draft, change);
  const set = (fields: Partial<ConditionDraft>) => change((known) => ({ ...known, ...fields }));
  const isToken = kind !== "coin" && kind !== "block";
  return (
    <fieldset className="condition">
      <legend className="visually-hidden">{rules.condition(id)}</legend>
      <div className="condition-head">
        <span className="badge">{rules.condition(id)}</span>
        {remove && <IconButton icon="trash" label={rules.removeCondition(id)} onClick={remove} />}
      </div>
      <SelectField
        label={rules.requirement}
        value={kind}
        choices={kinds.map((name) => ({ value: name, label: rules.kinds[name] }))}
        // A saved amount whose unit is not read yet means nothing for another kind.
        onChoose={(chosen) => set({ kind: chosen, ...(draft.isBaseValue ? { value: "", isBaseValue: false } : {}) })}
      />
      <SelectField
        label={rules.chain}
        value={chain}
        choices={chains.map((name) => ({ value: name as string, label: name.replace("_", " ") }))}
        onChoose={(chosen) => set({ chain: chosen })}
      />
      {isToken && (
        <div className={kind === "ERC1155" ? undefined : "field-wide"}>
          <TextField
            label={rules.contract}
            placeholder="0x…"
            value={contract}
            problem={contract.trim() === "" ? undefined : problems.contract}
            hint={problems.contract}
            onChange={({ target }) => set({ contract: target.value })}
          />
        </div>
      )}
      {kind === "ERC1155" && (
        <TextField
          label={rules.tokenId}
          inputMode="numeric"
          value={tokenId}
          problem={problems.tokenId}
          onChange={({ target }) => set({ tokenId: target.value })}
        />
      )}
      <SelectField
        label={rules.comparator}
        value={comparator}
        choices={comparators.map((name) => ({ value: name, label: rules.comparators[name] }))}
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
