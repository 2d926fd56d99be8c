import type { ButtonHTMLAttributes, ReactNode } from "react";
import { Icon, type IconName } from "./icon.tsx";

interface ButtonProps extends ButtonHTMLAttributes<HTMLButtonElement> {
  kind?: "primary" | "secondary" | "quiet" | "danger";
  icon?: IconName;
  /** Its action is running. */
  busy?: boolean;
  children?: ReactNode;
}

/** A button with a text label. */
export function Button({ kind = "secondary", icon, busy = false, children, disabled, ...rest }: ButtonProps) {
  return (
    <button
      type="button"
      className={`button button-${kind}${busy ? " button-busy" : ""}`}
      disabled={disabled === true || busy}
      aria-busy={busy}
      {...rest}
    >
      {icon && <Icon name={icon} size={18} />}
      <span>{children}</span>
      {busy && <span className="spinner" aria-hidden="true" />}
    </button>
  );
}

/** A button with an icon only; `label` is its accessible name and tooltip. */
export function IconButton({
  icon,
  label,
  ...rest
}: Omit<ButtonHTMLAttributes<HTMLButtonElement>, "aria-label" | "title"> & { icon: IconName; label: string }) {
  return (
    <button type="button" className="icon-button" aria-label={label} title={label} {...rest}>
      <Icon name={icon} size={18} />
    </button>
  );
}
