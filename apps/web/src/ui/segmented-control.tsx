import { useId } from "react";
import { Icon, type IconName } from "./icon.tsx";

interface Choice<Value extends string> {
  value: Value;
  label: string;
  icon?: IconName;
  /** Of the label, if it is not that of the page. */
  lang?: string;
}

/** A choice of a few visible options; radio buttons for keyboard and screen readers. */
export function SegmentedControl<Value extends string>({
  label,
  value,
  choices,
  onChoose,
}: {
  label: string;
  value: Value;
  choices: readonly Choice<Value>[];
  onChoose: (value: Value) => void;
}) {
  const name = useId();
  return (
    <fieldset className="segmented">
      <legend className="visually-hidden">{label}</legend>
      {choices.map((choice) => (
        <label key={choice.value} lang={choice.lang}>
          <input
            type="radio"
            name={name}
            className="visually-hidden"
            checked={choice.value === value}
            onChange={() => onChoose(choice.value)}
          />
          {choice.icon && <Icon name={choice.icon} size={16} />}
          {choice.label}
        </label>
      ))}
    </fieldset>
  );
}
