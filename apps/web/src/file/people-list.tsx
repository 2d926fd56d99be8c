import type { DriveLink } from "@keeplight/drive";
import type { ReactNode } from "react";
import { useContactBook } from "../contacts/contact-book.tsx";
import { getLinkAddress } from "../links/link-address.ts";
import { LinkRow } from "../links/link-row.tsx";
import type { FileLinks } from "../links/use-file-links.ts";
import { shorten } from "../messages/format.ts";
import { useMessages } from "../messages/language.ts";
import { AddressBadge } from "../shell/address-badge.tsx";
import { FileName } from "../ui/file-name.tsx";

/** A change of somebody's access that some files, or key nodes, lack. */
export interface HalfDone {
  kind: "share" | "revoke";
  address: string;
}

const noLinks: Pick<FileLinks, "links" | "isLink"> = { links: [], isLink: () => false };

/** The owner of a file and those it is shared with, in the order in which they were added. */
export function PeopleList({
  owner,
  me,
  sharedTo,
  halfDone,
  fileLinks,
  onEndLink,
  children,
}: {
  owner: string;
  /** Lower case. */
  me: string;
  sharedTo: readonly string[];
  /** Whose access is half changed. */
  halfDone?: HalfDone | undefined;
  /** The owner's links, whose addresses are among those. */
  fileLinks?: FileLinks;
  onEndLink?: (link: DriveLink) => void;
  /** Renders what can be done with a person. */
  children?: (address: string) => ReactNode;
}) {
  const { people } = useMessages();
  const isMe = (address: string) => address.toLowerCase() === me;
  const isHalf = (address: string) => address.toLowerCase() === halfDone?.address.toLowerCase();
  const shown = halfDone && !sharedTo.some(isHalf) ? [...sharedTo, halfDone.address] : sharedTo;
  const { links, isLink } = fileLinks ?? noLinks;
  const isOf = (link: DriveLink, address: string) => getLinkAddress(link) === address.toLowerCase();
  // Those that the key nodes' list does not have yet are at its end.
  const unlisted = links.filter((link) => !shown.some((address) => isOf(link, address)));
  const showLink = (link: DriveLink) => <LinkRow key={link.id} link={link} end={() => onEndLink?.(link)} />;
  const describe = (address: string) => {
    if (halfDone && isHalf(address)) return people.halfDone[halfDone.kind];
    return isMe(address) ? people.viewerYou : people.viewer;
  };
  return (
    <ul className="people">
      <Person address={owner} role={isMe(owner) ? people.ownerYou : people.owner} />
      {shown.map((address) => {
        const link = links.find((each) => isOf(each, address));
        if (link) return showLink(link);
        if (isLink(address)) return null;
        return (
          <Person key={address} address={address} role={describe(address)}>
            {children?.(address)}
          </Person>
        );
      })}
      {unlisted.map(showLink)}
    </ul>
  );
}

function Person({ address, role, children }: { address: string; role: string; children?: ReactNode }) {
  const contact = useContactBook().find(address);
  return (
    <li className="person">
      <AddressBadge address={address} />
      <p>
        {contact && (
          <strong title={contact.name}>
            <FileName>{contact.name}</FileName>
          </strong>
        )}
        {contact ? <span>{role}</span> : <strong>{role}</strong>}
        <span className="mono quiet" title={address}>
          {shorten(address, 10, 8)}
        </span>
      </p>
      {children}
    </li>
  );
}
