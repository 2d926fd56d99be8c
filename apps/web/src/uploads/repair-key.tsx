import { useKit } from "@keeplight/react";
import { useState } from "react";
import { explainError } from "../messages/explain-error.ts";
import { useMessages } from "../messages/language.ts";
import { Button } from "../ui/button.tsx";
import { useAction } from "../ui/use-action.ts";

/** Says that a key is not on all five nodes, and saves it on the others. */
export function RepairKey({ cid, nodes }: { cid: string; nodes: number }) {
  const { uploads } = useMessages();
  const kit = useKit();
  const repair = useAction();
  const [isRepaired, setRepaired] = useState(false);
  if (isRepaired) return null;
  const { title, advice } = repair.status === "failed" ? explainError(repair.error) : {};
  return (
    <div className="upload-key">
      <p className="quiet">{title ? `${title}. ${advice}` : uploads.keySaved(nodes)}</p>
      <Button
        icon="shield"
        busy={repair.status === "busy"}
        onClick={async () => setRepaired(await repair.run((signal) => kit.kavachRepair(cid, { signal })))}
      >
        {uploads.repair}
      </Button>
    </div>
  );
}
