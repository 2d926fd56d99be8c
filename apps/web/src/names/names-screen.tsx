import { useKit } from "@keeplight/react";
import { useCallback } from "react";
import { explainError } from "../messages/explain-error.ts";
import { useMessages } from "../messages/language.ts";
import { useAccountData } from "../session/account-data.tsx";
import { Button } from "../ui/button.tsx";
import { Empty } from "../ui/empty.tsx";
import { ErrorNote } from "../ui/error-note.tsx";
import { Screen } from "../ui/screen.tsx";
import { useToast } from "../ui/toasts.tsx";
import { useAction } from "../ui/use-action.ts";
import { useQuery } from "../ui/use-query.ts";
import { NameCard } from "./name-card.tsx";

/** Names (IPNS) that stay the same when the files they point to change. */
export function NamesScreen() {
  const kit = useKit();
  const { names: texts } = useMessages();
  const toast = useToast();
  const load = useCallback((signal: AbortSignal) => kit.ipnsListRecords({ signal }), [kit]);
  const names = useQuery(load);
  const { drive, files, isOfDrive } = useAccountData();
  // Nothing is published under the drive's own name, and nobody deletes it.
  const isKnown = drive.drive !== undefined || files.status !== "loading";
  const records = isKnown ? names.value?.filter((record) => !isOfDrive(record)) : undefined;
  const creating = useAction();
  const create = async () => {
    const succeeded = await creating.run((signal) =>
      kit.ipnsGenerateKey({ signal }).catch((error: unknown) => {
        const { title, advice } = explainError(error);
        toast(`${title}. ${advice}`);
        throw error;
      }),
    );
    if (succeeded) toast(texts.created);
    names.reload();
  };
  return (
    <Screen
      title={texts.title}
      lead={<p>{texts.lead}</p>}
      actions={
        <Button kind="primary" icon="plus" busy={creating.status === "busy"} onClick={create}>
          {texts.create}
        </Button>
      }
    >
      {names.status === "failed" && <ErrorNote error={names.error} retry={names.reload} />}
      {records?.length === 0 && (
        <section className="card">
          <Empty icon="names" title={texts.emptyTitle}>
            {texts.emptyHint}
          </Empty>
        </section>
      )}
      <ul className="names" aria-busy={names.status === "loading" || !isKnown}>
        {records?.map((record) => (
          <NameCard key={record.ipnsName} record={record} onChange={names.reload} />
        ))}
      </ul>
    </Screen>
  );
}
