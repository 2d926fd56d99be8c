import { useSyncExternalStore } from "react";

/** Tabs of the file screen. */
export const fileTabs = ["preview", "people", "conditions", "proof"] as const;
export type FileTab = (typeof fileTabs)[number];

/** Every screen. */
export type Route =
  | { screen: "files" }
  | { screen: "open" }
  | { screen: "names" }
  | { screen: "storage" }
  | { screen: "file"; cid: string; tab: FileTab };

/** Returns the `href` of a screen. */
export function toHref(route: Route): string {
  return route.screen === "file" ? `#/file/${route.cid}/${route.tab}` : `#/${route.screen}`;
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
  const [screen, cid = "", tab] = hash.replace(/^#\/?/, "").split("/");
  if (screen === "file" && cid !== "") {
    return { screen, cid, tab: fileTabs.find((known) => known === tab) ?? "preview" };
  }
  if (screen === "open" || screen === "names" || screen === "storage") return { screen };
  return { screen: "files" };
}
