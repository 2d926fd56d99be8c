import { useId } from "react";
import { Icon, type IconName } from "./icon.tsx";

interface Choice<Value extends string> {
  value: Value;
  words: string;
  icon?: IconName;
}

/** One of a few, all in sight; radio buttons to the keyboard. */
export function Segmented<Value extends string>({
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
        <label key={choice.value}>
          <input
            type="radio"
            name={name}
            className="visually-hidden"
            checked={choice.value === value}
            onChange={() => onChoose(choice.value)}
          />
          {choice.icon && <Icon name={choice.icon} size={16} />}
          {choice.words}
        </label>
      ))}
    </fieldset>
  );
}
