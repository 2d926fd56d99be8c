import { useCallback } from "react";
import { explainError } from "../messages/explain-error.ts";
import { useMessages } from "../messages/language.ts";
import { useToast } from "../ui/toasts.tsx";

/** Takes a change back, but for what another device has changed since. Resolves to whether that was nothing. */
export type TakeBack = () => Promise<boolean>;

/** Returns what says that something was done, with a button that takes it back. */
export function useOfferUndo(): (text: string, takeBack: TakeBack) => void {
  const { drive: texts } = useMessages();
  const toast = useToast();
  return useCallback(
    (text, takeBack) => {
      const undo = async () => {
        try {
          toast((await takeBack()) ? texts.undone : texts.changedSince);
        } catch (error) {
          toast(explainError(error).title);
        }
      };
      toast(text, { label: texts.undo, run: undo });
    },
    [toast, texts],
  );
}
