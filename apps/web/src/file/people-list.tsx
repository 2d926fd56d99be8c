import type { ReactNode } from "react";
import { shorten } from "../messages/format.ts";
import { useMessages } from "../messages/language.ts";
import { AddressBadge } from "../shell/address-badge.tsx";

/** A change of somebody's access that some files, or key nodes, lack. */
export interface HalfDone {
  kind: "share" | "revoke";
  address: string;
}

/** The owner of a file and those it is shared with. */
export function PeopleList({
  owner,
  me,
  sharedTo,
  halfDone,
  children,
}: {
  owner: string;
  /** Lower case. */
  me: string;
  sharedTo: readonly string[];
  /** Whose access is half changed. */
  halfDone?: HalfDone | undefined;
  /** Renders what can be done with a person. */
  children?: (address: string) => ReactNode;
}) {
  const { people } = useMessages();
  const isMe = (address: string) => address.toLowerCase() === me;
  const isHalf = (address: string) => address.toLowerCase() === halfDone?.address.toLowerCase();
  const shown = halfDone && !sharedTo.some(isHalf) ? [...sharedTo, halfDone.address] : sharedTo;
  const describe = (address: string) => {
    if (halfDone && isHalf(address)) return people.halfDone[halfDone.kind];
    return isMe(address) ? people.viewerYou : people.viewer;
  };
  return (
    <ul className="people">
      <Person address={owner} role={isMe(owner) ? people.ownerYou : people.owner} />
      {shown.map((address) => (
        <Person key={address} address={address} role={describe(address)}>
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
