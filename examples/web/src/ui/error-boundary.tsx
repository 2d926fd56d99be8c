import { Component, type ReactNode } from "react";
import { getMessages } from "../messages/language.ts";
import { Button } from "./button.tsx";
import { ErrorNote } from "./error-note.tsx";

/** Keeps an error in one screen from unmounting the others, and running uploads. */
export class ErrorBoundary extends Component<{ children: ReactNode }, { error?: unknown }> {
  override state: { error?: unknown } = {};

  static getDerivedStateFromError(error: unknown): { error: unknown } {
    return { error };
  }

  override render(): ReactNode {
    const { error } = this.state;
    if (error === undefined) return this.props.children;
    return (
      <ErrorNote error={error}>
        <Button icon="retry" onClick={() => this.setState({ error: undefined })}>
          {getMessages().ui.reload}
        </Button>
      </ErrorNote>
    );
  }
}
