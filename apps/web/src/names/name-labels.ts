import { useState } from "react";
import { useSession } from "../session/session.ts";

/** The most characters of a label. */
export const MAX_LABEL = 60;

/** The account's own labels of its names, kept in this browser: the network stores none. */
export function useNameLabel(ipnsName: string): [label: string, setLabel: (label: string) => void] {
  const { address } = useSession();
  const [label, setLabel] = useState(() => readLabels(address).get(ipnsName) ?? "");
  return [
    label,
    (typed) => {
      const changed = typed.slice(0, MAX_LABEL);
      setLabel(changed);
      keepLabel(address, ipnsName, changed.trim());
    },
  ];
}

/** Removes a name's label. */
export function forgetLabel(address: string, ipnsName: string): void {
  keepLabel(address, ipnsName, "");
}

function keepLabel(address: string, ipnsName: string, label: string): void {
  const labels = readLabels(address);
  if (label === "") labels.delete(ipnsName);
  else labels.set(ipnsName, label);
  if (labels.size === 0) localStorage.removeItem(toKey(address));
  else localStorage.setItem(toKey(address), JSON.stringify([...labels]));
}

function readLabels(address: string): Map<string, string> {
  try {
    const rows: unknown = JSON.parse(localStorage.getItem(toKey(address)) ?? "[]");
    const isRow = (row: unknown): row is [string, string] =>
      Array.isArray(row) && row.length === 2 && row.every((each) => typeof each === "string");
    return new Map(Array.isArray(rows) ? rows.filter(isRow) : []);
  } catch {
    return new Map();
  }
}

function toKey(address: string): string {
  return `names of ${address}`;
}
