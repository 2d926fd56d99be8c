import type { Contact } from "@keeplight/drive";
import { useContacts, useDrive } from "@keeplight/react/drive";
import { useOfferUndo } from "../drive/use-offer-undo.ts";
import { explainError } from "../messages/explain-error.ts";
import { useMessages } from "../messages/language.ts";
import { toSafeName } from "../ui/file-name.tsx";
import { useToast } from "../ui/toasts.tsx";

/** Changes of contacts, each of which says what happened. */
export interface ContactActions {
  /** @throws what `set` of `useContacts` throws */
  save(contact: Contact): Promise<void>;
  /** Can be undone at once. */
  remove(contact: Contact): Promise<void>;
  /** Gives what is known of a contact to another address, which takes its place. @throws what `set` and `remove` of `useContacts` throw */
  move(contact: Contact, address: string): Promise<void>;
}

/** Changes the contacts of the account, once its drive is open. */
export function useContactActions(): ContactActions {
  const { contacts: texts } = useMessages();
  const contacts = useContacts();
  const drive = useDrive().state.value;
  const toast = useToast();
  const offerUndo = useOfferUndo();
  return {
    async save({ address, name, note, ens }) {
      const saved = await contacts.set(address, { name, note, ens });
      toast(texts.saved(toSafeName(saved.name)));
    },
    async remove(contact) {
      const { address, name, note, ens } = contact;
      try {
        await contacts.remove(contact);
      } catch (error) {
        return toast(explainError(error).title);
      }
      offerUndo(texts.removed(toSafeName(name)), async () => {
        // Another device, or the user, has named it again meanwhile.
        if (drive?.listContacts().some((each) => each.address === address)) return false;
        await contacts.set(address, { name, note, ens });
        return true;
      });
    },
    async move(contact, address) {
      const { name, note, ens } = contact;
      // If the second fails there are two contacts, and not none.
      await contacts.set(address, { name, note, ens });
      await contacts.remove(contact);
      toast(texts.saved(toSafeName(name)));
    },
  };
}
