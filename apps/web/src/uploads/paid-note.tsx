import type { UploadReceipt } from "keeplight";
import { formatDate, formatUsdc } from "../messages/format.ts";
import { useMessages } from "../messages/language.ts";
import { CopyButton } from "../ui/copy-button.tsx";

/** What was paid for a file, and until when it is stored; with its receipt, which nothing else keeps. */
export function PaidNote({ receipt, name }: { receipt: UploadReceipt; name: string }) {
  const { uploads: text } = useMessages();
  const { amount, expiresAt } = receipt;
  const paid = amount === undefined ? text.paidBefore : text.paid(formatUsdc(BigInt(amount)));
  const end = expiresAt === undefined ? "" : ` · ${text.storedUntil(formatDate(expiresAt))}`;
  return (
    <p className="quiet upload-paid">
      {`${paid}${end}`}
      <CopyButton text={JSON.stringify(receipt)} what={text.receiptOf(name)} />
    </p>
  );
}
