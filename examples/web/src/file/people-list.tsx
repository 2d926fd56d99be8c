import type { ReactNode } from "react";
import { shorten } from "../messages/format.ts";
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
  const describe = (role: string, address: string) => (address.toLowerCase() === me ? `${role} (you)` : role);
  return (
    <ul className="people">
      <Person address={owner} role={describe("Owner", owner)} />
      {sharedTo.map((address) => (
        <Person key={address} address={address} role={describe("Can view", address)}>
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
