import { type ContactBook, useContactBook } from "../contacts/contact-book.tsx";
import type { Messages } from "../messages/en.ts";
import { formatList } from "../messages/format.ts";
import { useMessages } from "../messages/language.ts";

interface FileNoteProps {
  /** Of its storage deal, as the network reports it. */
  status: string | null | undefined;
  isUnfinished: boolean;
  sharedTo: readonly string[] | undefined;
}

/** What distinguishes a file from the others: most have none of it. */
export function FileNote({ status, isUnfinished, sharedTo = [] }: FileNoteProps) {
  const { files: texts } = useMessages();
  const book = useContactBook();
  if (isUnfinished) return <span className="file-note file-note-open">{texts.unfinished}</span>;
  if (sharedTo.length > 0) {
    return (
      <span className="file-note" title={formatList(sharedTo)}>
        {describeSharing(sharedTo, texts, book)}
      </span>
    );
  }
  // Each new file waits for a deal.
  if (!status || status === "queued") return null;
  return <span className="file-note">{texts.storedAs(status.replaceAll("_", " ").toLowerCase())}</span>;
}

/** What a screen reader says of a row, besides its name and where it is stored; empty for most. */
export function describeNote(
  { isUnfinished, sharedTo = [] }: Omit<FileNoteProps, "status">,
  texts: Messages["files"],
  book: ContactBook,
): string {
  if (isUnfinished) return texts.unfinished;
  return sharedTo.length > 0 ? describeSharing(sharedTo, texts, book) : "";
}

function describeSharing(addresses: readonly string[], texts: Messages["files"], { describe }: ContactBook): string {
  const [first = ""] = addresses;
  return addresses.length === 1 ? texts.sharedWith(describe(first)) : texts.sharedWithCount(addresses.length);
}
