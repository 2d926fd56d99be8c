import { lazy, Suspense, useState } from "react";
import { useMessages } from "../messages/language.ts";
import { Button } from "../ui/button.tsx";

const AskDialog = lazy(() => import("./ask-dialog.tsx").then((module) => ({ default: module.AskDialog })));

/** Offers to ask the owner of a file, or of an encrypted folder, for access. */
export function AskAccess({ cid }: { cid: string }) {
  const { requests } = useMessages();
  const [isOpen, setOpen] = useState(false);
  return (
    <>
      <Button icon="people" onClick={() => setOpen(true)}>
        {requests.ask}
      </Button>
      {isOpen && (
        <Suspense>
          <AskDialog cid={cid} onClose={() => setOpen(false)} />
        </Suspense>
      )}
    </>
  );
}
