import { useKit } from "@keeplight/react";
import type { KeyHealth } from "keeplight";
import { useEffect, useState } from "react";
import type { Messages } from "../messages/en.ts";
import { explainError } from "../messages/explain-error.ts";
import { useMessages } from "../messages/language.ts";
import { useToast } from "../ui/toasts.tsx";
import { useAction } from "../ui/use-action.ts";

/**
 * How many key nodes keep the file's key, and a repair if some have lost it. The nodes are queried once the file is open,
 * or by a click: a wallet may have to sign in for it.
 */
export function KeyFact({ cid, isOwner, isOpened }: { cid: string; isOwner: boolean; isOpened: boolean }) {
  const { file } = useMessages();
  const kit = useKit();
  const toast = useToast();
  const [health, setHealth] = useState<KeyHealth>();
  const checking = useAction();
  const repairing = useAction();
  const { run } = checking;
  const check = () => run(async (signal) => setHealth(await kit.kavachInspect(cid, { signal })));
  // biome-ignore lint/correctness/useExhaustiveDependencies: once, when the file is open.
  useEffect(() => {
    if (isOpened && !health) void check();
  }, [isOpened]);

  const repair = async () => {
    const isDone = await (repairing.resume?.() ?? repairing.run((signal) => kit.kavachRepair(cid, { signal })));
    if (isDone) toast(file.keyRepaired);
    await check();
  };
  const isBusy = checking.status === "busy" || repairing.status === "busy";
  const failure = repairing.status === "failed" ? repairing.error : checking.status === "failed" && checking.error;
  return (
    <span className="key-fact">
      <span className={health && !health.healthy ? "key-fact-weak" : undefined} role="status">
        {failure ? explainError(failure).title : describe(health, checking.status === "busy", file)}
      </span>
      {!health && !isBusy && (
        <button type="button" className="link-button" onClick={check}>
          {file.checkKey}
        </button>
      )}
      {health && !health.healthy && isOwner && (
        <button type="button" className="link-button" onClick={repair} disabled={isBusy}>
          {repairing.status === "busy" ? file.repairingKey : file.repairKey}
        </button>
      )}
    </span>
  );
}

function describe(health: KeyHealth | undefined, isChecking: boolean, file: Messages["file"]): string {
  if (!health) return isChecking ? file.keyChecking : file.keyNotChecked;
  const sound = health.nodes.filter(({ state, agrees }) => state === "holds" && agrees !== false).length;
  return file.keyNodes(sound);
}
