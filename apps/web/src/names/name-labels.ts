import { useCallback, useEffect, useMemo, useState } from "react";
import { useSession } from "../session/session.ts";
import { openSealedList } from "../shared/sealed-list.ts";
import { useQuery } from "../ui/use-query.ts";

/** The most characters of a label. */
export const MAX_LABEL = 60;

interface Label {
  /** Of the name. */
  name: string;
  label: string;
}

/** The account's own label of a name, kept in this browser, encrypted: the network stores none. */
export function useNameLabel(ipnsName: string): [label: string, setLabel: (label: string) => void] {
  const { journal } = useSession();
  const list = useMemo(() => openSealedList("labels", journal?.place, readLabels), [journal]);
  const load = useCallback(
    async () => (await list.load()).find(({ name }) => name === ipnsName)?.label ?? "",
    [list, ipnsName],
  );
  const { value: kept = "", reload } = useQuery(load);
  useEffect(() => list.subscribe(reload), [list, reload]);
  const [typed, setTyped] = useState<string>();
  return [
    typed ?? kept,
    (text) => {
      const label = text.slice(0, MAX_LABEL);
      setTyped(label);
      const trimmed = label.trim();
      list
        .change((labels) => {
          const others = labels.filter(({ name }) => name !== ipnsName);
          return trimmed === "" ? others : [...others, { name: ipnsName, label: trimmed }];
        })
        // It is shown all the same.
        .catch(() => undefined);
    },
  ];
}

function readLabels(value: unknown): Label[] {
  const isLabel = (each: unknown): each is Label => {
    const { name, label } = (each ?? {}) as Record<string, unknown>;
    return typeof name === "string" && typeof label === "string";
  };
  return Array.isArray(value) ? value.filter(isLabel) : [];
}
