import { type ReactNode, useEffect, useRef } from "react";
import { useKeptScroll } from "./use-kept-scroll.ts";

/** A screen with a heading, which receives the focus on mount, so that screen readers start there. */
export function Screen({
  title,
  back,
  lead,
  actions,
  keepsScroll = false,
  isWide = false,
  children,
}: {
  title: string;
  /** The way back, above the heading. */
  back?: ReactNode;
  lead?: ReactNode;
  actions?: ReactNode;
  /** Whether Back returns to the place that was scrolled to. */
  keepsScroll?: boolean;
  /** Whether it has a table, which uses the width of large windows. */
  isWide?: boolean;
  children?: ReactNode;
}) {
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => {
    heading.current?.focus({ preventScroll: true });
  }, []);
  useKeptScroll(keepsScroll);
  useEffect(() => {
    document.title = `${title} · Keeplight`;
  }, [title]);
  return (
    <div className={isWide ? "screen screen-wide" : "screen"}>
      <header className="screen-head">
        <div>
          {back}
          <h1 ref={heading} tabIndex={-1}>
            {title}
          </h1>
          {lead && <div className="lead">{lead}</div>}
        </div>
        {actions && <div className="screen-actions">{actions}</div>}
      </header>
      {children}
    </div>
  );
}
