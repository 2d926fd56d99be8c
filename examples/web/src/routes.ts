import { useSyncExternalStore } from "react";
import { type FilesView, readView, writeView } from "./files/files-view.ts";

/** Tabs of the file screen. */
export const fileTabs = ["preview", "people", "conditions", "proof"] as const;
export type FileTab = (typeof fileTabs)[number];

/** Every screen. */
export type Route =
  | { screen: "files"; view?: FilesView }
  | { screen: "shared" }
  | { screen: "names" }
  | { screen: "storage" }
  | { screen: "file"; cid: string; tab: FileTab };

/** Returns the `href` of a screen. */
export function toHref(route: Route): string {
  if (route.screen === "file") return `#/file/${route.cid}/${route.tab}`;
  const query = route.screen === "files" && route.view ? writeView(route.view) : "";
  return `#/${route.screen}${query && `?${query}`}`;
}

/** Replaces the URL of the current screen, without another entry in the history. */
export function replaceRoute(route: Route): void {
  history.replaceState(history.state, "", toHref(route));
  window.dispatchEvent(new HashChangeEvent("hashchange"));
}

/** The screen in the page's URL; Files by default. */
export function useRoute(): Route {
  const hash = useSyncExternalStore(subscribe, () => location.hash);
  return readRoute(hash);
}

function subscribe(listener: () => void): () => void {
  window.addEventListener("hashchange", listener);
  return () => window.removeEventListener("hashchange", listener);
}

function readRoute(hash: string): Route {
  const [path = "", query] = hash.replace(/^#\/?/, "").split("?");
  const [screen, cid = "", tab] = path.split("/");
  if (screen === "file" && cid !== "") {
    return { screen, cid, tab: fileTabs.find((known) => known === tab) ?? "preview" };
  }
  if (screen === "shared" || screen === "names" || screen === "storage") return { screen };
  return query ? { screen: "files", view: readView(query) } : { screen: "files" };
}
