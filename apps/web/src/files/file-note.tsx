import type { Messages } from "../messages/en.ts";
import { formatList, shorten } from "../messages/format.ts";
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
  if (isUnfinished) return <span className="file-note file-note-open">{texts.unfinished}</span>;
  if (sharedTo.length > 0) {
    return (
      <span className="file-note" title={formatList(sharedTo)}>
        {describeSharing(sharedTo, texts)}
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
): string {
  if (isUnfinished) return texts.unfinished;
  return sharedTo.length > 0 ? describeSharing(sharedTo, texts) : "";
}

function describeSharing(addresses: readonly string[], texts: Messages["files"]): string {
  const [first = ""] = addresses;
  return addresses.length === 1 ? texts.sharedWith(shorten(first, 6, 4)) : texts.sharedWithCount(addresses.length);
}
