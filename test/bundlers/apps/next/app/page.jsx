import { KitProvider } from "@keeplight/react";
import { Client } from "./client.jsx";
import { storeNote } from "./store-note.js";

/** A server component may also contain the provider, which is a client component of the package. */
export default function Page() {
  return (
    <KitProvider>
      <Client storeNote={storeNote} />
    </KitProvider>
  );
}
