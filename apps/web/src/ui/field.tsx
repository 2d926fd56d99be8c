import { type InputHTMLAttributes, type ReactNode, type SelectHTMLAttributes, useId } from "react";

interface FieldProps {
  label: string;
  /** Shown below the field. */
  hint?: ReactNode;
}

/**
 * A text field with its label. `problem` is what has to be changed in it, shown instead of the hint; `children` is what opens
 * below it.
 */
export function TextField({
  label,
  hint,
  problem,
  children,
  ...rest
}: FieldProps & { problem?: string | undefined } & InputHTMLAttributes<HTMLInputElement>) {
  const id = useId();
  const note = problem ?? hint;
  const input = (
    <input
      id={id}
      aria-describedby={note ? `${id}-hint` : undefined}
      aria-invalid={problem ? true : undefined}
      autoComplete="off"
      spellCheck={false}
      {...rest}
    />
  );
  return (
    <div className="field">
      <label htmlFor={id}>{label}</label>
      {children === undefined ? (
        input
      ) : (
        <div className="field-box">
          {input}
          {children}
        </div>
      )}
      {note && (
        <p id={`${id}-hint`} className={problem ? "hint hint-problem" : "hint"}>
          {note}
        </p>
      )}
    </div>
  );
}

/** A select with its label. */
export function SelectField<Value extends string>({
  label,
  hint,
  choices,
  onChoose,
  ...rest
}: FieldProps &
  Omit<SelectHTMLAttributes<HTMLSelectElement>, "onChange" | "value"> & {
    value: Value;
    choices: readonly { value: Value; label: string }[];
    onChoose: (value: Value) => void;
  }) {
  const id = useId();
  return (
    <div className="field">
      <label htmlFor={id}>{label}</label>
      <select
        id={id}
        aria-describedby={hint ? `${id}-hint` : undefined}
        onChange={({ target }) => {
          const chosen = choices.find(({ value }) => value === target.value);
          if (chosen) onChoose(chosen.value);
        }}
        {...rest}
      >
        {choices.map(({ value, label }) => (
          <option key={value} value={value}>
            {label}
          </option>
        ))}
      </select>
      {hint && (
        <p id={`${id}-hint`} className="hint">
          {hint}
        </p>
      )}
    </div>
  );
}
