import { useEffect, useState } from "react";
import { Button, IconButton } from "./button.tsx";
import { useToast } from "./toasts.tsx";

/** Copies `text` and confirms it. `what` names it: “CID”. */
export function CopyButton({ text, what, label }: { text: string; what: string; label?: string }) {
  const [copied, setCopied] = useState(false);
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
      toast(`Copied the ${what}`);
    } catch {
      toast(`The browser did not allow copying. The ${what} is ${text}`);
    }
  };
  const icon = copied ? "check" : "copy";
  if (label === undefined) return <IconButton icon={icon} label={`Copy ${what}`} onClick={copy} />;
  return (
    <Button icon={icon} onClick={copy}>
      {label}
    </Button>
  );
}
