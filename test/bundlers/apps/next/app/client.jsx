"use client";

import { useKit } from "@keeplight/react";
import { useActionState, useEffect, useState } from "react";
import { App } from "./files.js";
import * as jobs from "./jobs.js";

export function Client({ storeNote }) {
  const [shown, setShown] = useState(false);
  const [note, store, pending] = useActionState(storeNote, undefined);
  const { createApiKey } = useKit();
  useEffect(() => {
    globalThis.jobs = { ...jobs, showFiles: () => setShown(typeof createApiKey === "function") };
  }, [createApiKey]);
  return (
    <main>
      {shown && <App />}
      <form action={store}>
        <input name="note" aria-label="Note" />
        <button type="submit" disabled={pending}>
          Store
        </button>
      </form>
      <output>{note}</output>
    </main>
  );
}
