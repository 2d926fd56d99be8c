import { useMessages } from "../messages/language.ts";
import { type FilesView, filters, sortings } from "./files-view.ts";

/** Search, filter and order of the list. */
export function ListControls({ view, onChange }: { view: FilesView; onChange: (view: FilesView) => void }) {
  const { files: texts } = useMessages();
  return (
    <div className="list-controls">
      <input
        type="search"
        aria-label={texts.searchLabel}
        placeholder={texts.search}
        value={view.search}
        onChange={({ target }) => onChange({ ...view, search: target.value })}
      />
      <Choice
        label={texts.show}
        value={view.show}
        choices={filters}
        labels={texts.filters}
        onChoose={(show) => onChange({ ...view, show })}
      />
      <Choice
        label={texts.sortBy}
        value={view.sort}
        choices={sortings}
        labels={texts.sortings}
        onChoose={(sort) => onChange({ ...view, sort })}
      />
    </div>
  );
}

function Choice<Value extends string>({
  label,
  value,
  choices,
  labels,
  onChoose,
}: {
  label: string;
  value: Value;
  choices: readonly Value[];
  labels: Readonly<Record<Value, string>>;
  onChoose: (value: Value) => void;
}) {
  return (
    <select aria-label={label} value={value} onChange={({ target }) => onChoose(target.value as Value)}>
      {choices.map((choice) => (
        <option key={choice} value={choice}>
          {labels[choice]}
        </option>
      ))}
    </select>
  );
}
