import { KitProvider } from "keeplight/react";
import { Client } from "./client.jsx";
import { storeNote } from "./store-note.js";

/** A server component may hold the provider, too: it is a client component of the package. */
export default function Page() {
  return (
    <KitProvider>
      <Client storeNote={storeNote} />
    </KitProvider>
  );
}
