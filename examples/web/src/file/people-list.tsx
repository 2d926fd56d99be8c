import type { ReactNode } from "react";
import { shorten } from "../messages/format.ts";
import { useMessages } from "../messages/language.ts";
import { AddressBadge } from "../shell/address-badge.tsx";

/** The owner of a file and those it is shared with. */
export function PeopleList({
  owner,
  me,
  sharedTo,
  children,
}: {
  owner: string;
  /** Lower case. */
  me: string;
  sharedTo: readonly string[];
  /** Renders what can be done with a person. */
  children?: (address: string) => ReactNode;
}) {
  const { people } = useMessages();
  const isMe = (address: string) => address.toLowerCase() === me;
  return (
    <ul className="people">
      <Person address={owner} role={isMe(owner) ? people.ownerYou : people.owner} />
      {sharedTo.map((address) => (
        <Person key={address} address={address} role={isMe(address) ? people.viewerYou : people.viewer}>
          {children?.(address)}
        </Person>
      ))}
    </ul>
  );
}

function Person({ address, role, children }: { address: string; role: string; children?: ReactNode }) {
  return (
    <li className="person">
      <AddressBadge address={address} />
      <p>
        <strong>{role}</strong>
        <span className="mono quiet" title={address}>
          {shorten(address, 10, 8)}
        </span>
      </p>
      {children}
    </li>
  );
}
