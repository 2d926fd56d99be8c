import { useEffect, useRef, useState } from "react";
import { useMessages } from "../messages/language.ts";

/** Announces the results to screen readers, once all uploads are over. */
export function UploadResults({ active, done, failed }: { active: boolean; done: number; failed: number }) {
  const { uploads } = useMessages();
  const [result, setResult] = useState("");
  const wasActive = useRef(false);
  useEffect(() => {
    if (active) setResult("");
    else if (wasActive.current) {
      setResult(
        failed === 0 ? uploads.complete(done) : done === 0 ? uploads.failed(failed) : uploads.result(done, failed),
      );
    }
    wasActive.current = active;
  }, [active, done, failed, uploads]);
  return (
    <p className="tray-result" role="status">
      {result}
    </p>
  );
}
