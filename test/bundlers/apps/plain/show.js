import { createElement } from "react";
import { createRoot } from "react-dom/client";

export async function show(element) {
  const root = createRoot(element);
  // The hooks and their cache are a file of their own, beside React.
  const { App } = await import("./files.js");
  root.render(createElement(App));
}
