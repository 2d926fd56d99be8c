import { useKit } from "keeplight/react";
import { useCallback } from "react";
import { Button } from "../ui/button.tsx";
import { Empty } from "../ui/empty.tsx";
import { ErrorNote } from "../ui/error-note.tsx";
import { Screen } from "../ui/screen.tsx";
import { useToast } from "../ui/toasts.tsx";
import { useAction } from "../ui/use-action.ts";
import { useAsked } from "../ui/use-asked.ts";
import { explainError } from "../words/explain-error.ts";
import { NameCard } from "./name-card.tsx";

/** Names (IPNS) that stay while what they point to changes. */
export function NamesScreen() {
  const kit = useKit();
  const toast = useToast();
  const ask = useCallback((signal: AbortSignal) => kit.ipnsListRecords({ signal }), [kit]);
  const names = useAsked(ask);
  const making = useAction();
  const make = async () => {
    const worked = await making.run((signal) =>
      kit.ipnsGenerateKey({ signal }).catch((error: unknown) => {
        const { title, advice } = explainError(error);
        toast(`${title}. ${advice}`);
        throw error;
      }),
    );
    if (worked) toast("The name is yours");
    names.again();
  };
  return (
    <Screen
      title="Names"
      lead={<p>A name keeps its address while you change the file behind it.</p>}
      actions={
        <Button kind="primary" icon="plus" busy={making.status === "busy"} onClick={make}>
          New name
        </Button>
      }
    >
      {names.status === "failed" && (
        <ErrorNote error={names.error}>
          <Button icon="retry" onClick={names.again}>
            Try again
          </Button>
        </ErrorNote>
      )}
      {names.value?.length === 0 && (
        <section className="card">
          <Empty icon="names" title="No names yet">
            Make one, publish a file under it, and give out the name. Publish another file later: the name stays.
          </Empty>
        </section>
      )}
      <ul className="names" aria-busy={names.status === "loading"}>
        {names.value?.map((record) => (
          <NameCard key={record.ipnsName} record={record} changed={names.again} />
        ))}
      </ul>
    </Screen>
  );
}
