import { AddressName } from "../contacts/address-name.tsx";
import { useMessages } from "../messages/language.ts";
import { AddressBadge } from "../shell/address-badge.tsx";
import { useSharedTo } from "./use-shared-to.ts";

/** People who are listed; the file's page has all. */
const LISTED = 3;

/** Who can open an encrypted file of the account. */
export function DetailsPeople({
  cid,
  sharedTo: known,
}: {
  /** Empty for a folder of the drive: only the account's devices know who it is shared with. */
  cid: string;
  /** What this browser knows. */
  sharedTo: readonly string[] | undefined;
}) {
  const { details: texts } = useMessages();
  const { sharedTo, links, isUnsure } = useSharedTo(cid, known);
  if (sharedTo === undefined) return <span className="quiet">{isUnsure ? texts.notListed : "…"}</span>;
  if (sharedTo.length === 0 && links === 0) return texts.onlyYou;
  const more = sharedTo.length - LISTED;
  return (
    <ul>
      <li>{texts.you}</li>
      {sharedTo.slice(0, LISTED).map((address) => (
        <li key={address} title={address}>
          <AddressBadge address={address} size={18} />
          <AddressName address={address} />
        </li>
      ))}
      {more > 0 && <li>{texts.more(more)}</li>}
      {links > 0 && <li>{texts.links(links)}</li>}
    </ul>
  );
}
