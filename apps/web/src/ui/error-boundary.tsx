import { Component, type ReactNode } from "react";
import { getMessages } from "../messages/language.ts";
import { Button } from "./button.tsx";
import { ErrorNote } from "./error-note.tsx";

/**
 * Keeps an error in one screen from unmounting the others, and running uploads. Its button renders the children again,
 * unless `onReload` says otherwise.
 */
export class ErrorBoundary extends Component<{ children: ReactNode; onReload?: () => void }, { error?: unknown }> {
  override state: { error?: unknown } = {};

  static getDerivedStateFromError(error: unknown): { error: unknown } {
    return { error };
  }

  override render(): ReactNode {
    const { error } = this.state;
    if (error === undefined) return this.props.children;
    return (
      <ErrorNote error={error}>
        <Button icon="retry" onClick={this.props.onReload ?? (() => this.setState({ error: undefined }))}>
          {getMessages().ui.reload}
        </Button>
      </ErrorNote>
    );
  }
}
