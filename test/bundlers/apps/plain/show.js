import { createElement } from "react";
import { createRoot } from "react-dom/client";
import { App } from "./files.js";

export function show(element) {
  createRoot(element).render(createElement(App));
}
