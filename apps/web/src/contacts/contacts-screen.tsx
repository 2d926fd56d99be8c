import type { Contact } from "@keeplight/drive";
import { useDrive } from "@keeplight/react/drive";
import { lazy, Suspense, useState } from "react";
import { useEnsResults } from "../ens/use-ens-results.ts";
import { useMessages } from "../messages/language.ts";
import { toHref } from "../routes.ts";
import { useSession } from "../session/session.ts";
import { Button } from "../ui/button.tsx";
import { Empty } from "../ui/empty.tsx";
import { ErrorNote } from "../ui/error-note.tsx";
import { Icon } from "../ui/icon.tsx";
import { Screen } from "../ui/screen.tsx";
import { useContactBook } from "./contact-book.tsx";
import { ContactDialog } from "./contact-dialog.tsx";
import { ContactRow } from "./contact-row.tsx";
import { findContacts } from "./find-contacts.ts";
import { useContactActions } from "./use-contact-actions.ts";

const EnsChangeDialog = lazy(() =>
  import("./ens-change-dialog.tsx").then((module) => ({ default: module.EnsChangeDialog })),
);

/** How many are shown; there may be thousands. */
const SHOWN = 200;

/** The names that the account has given to addresses: added, changed and removed here. */
export function ContactsScreen() {
  const { contacts: texts, shell, drive: driveTexts } = useMessages();
  const { contacts, find } = useContactBook();
  const { journal } = useSession();
  const { state, reload } = useDrive();
  const { save, remove, move } = useContactActions();
  const [search, setSearch] = useState("");
  /** The contact that is changed; `null` for a new one. */
  const [edited, setEdited] = useState<Contact | null>();
  /** The contact whose ENS name leads elsewhere, and where: both as they were when its review was opened. */
  const [reviewed, setReviewed] = useState<{ contact: Contact; address: string }>();
  const isOpen = state.value !== undefined;
  const found = findContacts(contacts, search);
  const shown = found.slice(0, SHOWN);
  const results = useEnsResults(shown.flatMap(({ ens }) => ens ?? []));
  const current = reviewed && find(reviewed.contact.address);
  // It was changed meanwhile, here or elsewhere: another name, or none, is not what is reviewed.
  if (reviewed && current?.ens !== reviewed.contact.ens) setReviewed(undefined);
  return (
    <Screen
      title={texts.title}
      back={
        <a className="back-link" href={toHref({ screen: "shared" })}>
          <Icon name="back" size={18} />
          {shell.shared}
        </a>
      }
      lead={<p>{texts.lead}</p>}
      actions={
        <Button icon="plus" disabled={!isOpen} onClick={() => setEdited(null)}>
          {texts.add}
        </Button>
      }
    >
      <section className="card shared-list" aria-label={texts.title} aria-busy={journal !== undefined && !isOpen}>
        {!journal && <p className="quiet">{texts.noJournal}</p>}
        {journal && state.status === "failed" && <ErrorNote error={state.error} retry={reload} />}
        <input
          type="search"
          aria-label={texts.searchLabel}
          placeholder={texts.searchLabel}
          disabled={contacts.length === 0}
          value={search}
          onChange={({ target }) => setSearch(target.value)}
        />
        {isOpen && contacts.length === 0 && (
          <Empty icon="people" title={texts.emptyTitle}>
            {texts.emptyHint}
          </Empty>
        )}
        {contacts.length > 0 && found.length === 0 && (
          <Empty icon="people" title={texts.noMatchTitle}>
            {texts.noMatchHint}
          </Empty>
        )}
        <ul>
          {shown.map((contact) => {
            const result = results.get(contact.ens ?? "");
            return (
              <ContactRow
                key={contact.address}
                contact={contact}
                ensResult={result}
                onReview={() => result?.status === "found" && setReviewed({ contact, address: result.address })}
                onEdit={() => setEdited(contact)}
                onRemove={() => remove(contact)}
              />
            );
          })}
        </ul>
        {found.length > SHOWN && <p className="quiet">{driveTexts.more(found.length - SHOWN)}</p>}
      </section>
      {edited !== undefined && (
        <ContactDialog contact={edited ?? undefined} onSave={save} onClose={() => setEdited(undefined)} />
      )}
      {reviewed && current && (
        <Suspense>
          <EnsChangeDialog
            contact={current}
            // Not where the name leads by now: a press confirms what was read.
            address={reviewed.address}
            actions={{ save, move }}
            onClose={() => setReviewed(undefined)}
          />
        </Suspense>
      )}
    </Screen>
  );
}
