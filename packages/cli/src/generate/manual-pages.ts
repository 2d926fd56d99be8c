import { packageJson } from "../package-json.ts";
import { createDocsPage } from "./docs-page.ts";
import { createManPage } from "./man-page.ts";

/** Writes what is generated from the table of commands: the manual, or the page about the command line. */
export function createManual(form: "man" | "markdown"): string {
  return form === "man" ? createManPage(packageJson.version, packageJson.description) : createDocsPage();
}
