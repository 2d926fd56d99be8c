import { KitProvider, useDecrypt, useUploadEncrypted } from "@keeplight/react";
import { createElement as h } from "react";
import { options } from "./jobs.js";

/** Encrypts and uploads the chosen files, and opens them. */
function Files() {
  const { uploads, upload } = useUploadEncrypted();
  const { state, decrypt } = useDecrypt();
  const stored = uploads.flatMap((entry) => (entry.state.status === "done" ? entry.state.files : []));
  return h(
    "section",
    null,
    h("input", { type: "file", onChange: ({ target }) => upload([...target.files]) }),
    ...stored.map(({ Name, Hash }) => h("button", { type: "button", onClick: () => decrypt(Hash) }, `Open ${Name}`)),
    state.status === "done" && h("a", { href: state.result.url }, "Opened"),
  );
}

export function App() {
  return h(KitProvider, { options }, h(Files));
}
