import { useEffect, useState } from "react";
import { useMessages } from "../messages/language.ts";
import { Button, IconButton } from "./button.tsx";
import { useToast } from "./toasts.tsx";

/** Copies `text` and confirms it. `what` names it: “CID”. A secret is never shown, not even if it cannot be copied. */
export function CopyButton({
  text,
  what,
  label,
  secret = false,
  tabIndex,
}: {
  text: string;
  what: string;
  label?: string;
  secret?: boolean;
  /** In a list whose keys reach it. */
  tabIndex?: number;
}) {
  const [copied, setCopied] = useState(false);
  const { ui } = useMessages();
  const toast = useToast();
  useEffect(() => {
    if (!copied) return;
    const timer = setTimeout(() => setCopied(false), 2_000);
    return () => clearTimeout(timer);
  }, [copied]);
  const copy = async () => {
    try {
      await navigator.clipboard.writeText(text);
      setCopied(true);
      toast(ui.copied(what));
    } catch {
      toast(secret ? ui.notCopiedSecret : ui.notCopied(what, text));
    }
  };
  const icon = copied ? "check" : "copy";
  if (label === undefined)
    return <IconButton icon={icon} label={ui.copyThing(what)} tabIndex={tabIndex} onClick={copy} />;
  return (
    <Button icon={icon} tabIndex={tabIndex} onClick={copy}>
      {label}
    </Button>
  );
}
