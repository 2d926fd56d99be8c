import { type FilesView, filters, sortings } from "./files-view.ts";

/** Search, filter and order of the list. */
export function ListControls({ view, onChange }: { view: FilesView; onChange: (view: FilesView) => void }) {
  return (
    <div className="list-controls">
      <input
        type="search"
        aria-label="Search your files"
        placeholder="Search"
        value={view.search}
        onChange={({ target }) => onChange({ ...view, search: target.value })}
      />
      <Choice
        label="Show"
        value={view.show}
        choices={filters}
        onChoose={(show) => onChange({ ...view, show: show as FilesView["show"] })}
      />
      <Choice
        label="Sort by"
        value={view.sort}
        choices={sortings}
        onChoose={(sort) => onChange({ ...view, sort: sort as FilesView["sort"] })}
      />
    </div>
  );
}

function Choice({
  label,
  value,
  choices,
  onChoose,
}: {
  label: string;
  value: string;
  choices: readonly { value: string; label: string }[];
  onChoose: (value: string) => void;
}) {
  return (
    <select aria-label={label} value={value} onChange={({ target }) => onChoose(target.value)}>
      {choices.map((choice) => (
        <option key={choice.value} value={choice.value}>
          {choice.label}
        </option>
      ))}
    </select>
  );
}
