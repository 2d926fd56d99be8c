import { useDrive } from "@keeplight/react/drive";
import type { ReactNode } from "react";
import { useMessages } from "../messages/language.ts";
import { useSession } from "../session/session.ts";
import { ErrorNote } from "../ui/error-note.tsx";
import { LinkForm } from "./link-form.tsx";
import type { LinkTarget } from "./use-create-link.ts";

/** Creates links that end, by the drive, which keeps them; says so if there is none. */
export function LinkPanel({
  target,
  onCreate,
  children,
}: {
  target: LinkTarget;
  onCreate: () => void;
  /** Another kind of link, above the result, which moves nothing then. */
  children: ReactNode;
}) {
  const { links } = useMessages();
  const { journal } = useSession();
  const { state, reload } = useDrive();
  const hasFailed = journal !== undefined && state.status === "failed" && !state.value;
  return (
    <section className="card" aria-labelledby="link-title">
      <h2 id="link-title">{links.title}</h2>
      {journal && !hasFailed ? (
        <LinkForm target={target} isReady={state.value !== undefined} onCreate={onCreate}>
          {children}
        </LinkForm>
      ) : (
        <>
          <p className="quiet">{journal ? links.noDrive : links.noJournal}</p>
          {children}
        </>
      )}
      {hasFailed && <ErrorNote error={state.error} retry={reload} />}
    </section>
  );
}
