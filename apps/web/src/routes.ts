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
  | FileRoute
  | { screen: "folder"; cid: string; path: string };

/** A file's page. */
interface FileRoute {
  screen: "file";
  cid: string;
  tab: FileTab;
  /** Where it was found: the CID of a folder and the path below it, separated by slashes. */
  within?: string | undefined;
}

/** Returns the `href` of a screen. */
export function toHref(route: Route): string {
  if (route.screen === "file") {
    const place = route.within === undefined ? "" : `?in=${encodePath(route.within)}`;
    return `#/file/${route.cid}/${route.tab}${place}`;
  }
  if (route.screen === "folder") return `#/folder/${encodePath(joinPath(route.cid, route.path))}`;
  const query = route.screen === "files" && route.view ? writeView(route.view) : "";
  return `#/${route.screen}${query && `?${query}`}`;
}

/** Appends to a path below a folder, whose own path is empty. */
export function joinPath(path: string, name: string): string {
  return path === "" || name === "" ? path + name : `${path}/${name}`;
}

/** Returns the name that a path ends with. */
export function getLastName(path: string): string {
  return path.slice(path.lastIndexOf("/") + 1);
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
  const [screen, cid = "", tab, ...below] = path.split("/");
  if (screen === "file" && cid !== "") {
    const place = query?.startsWith("in=") ? decodePath(query.slice(3)) : undefined;
    return { screen, cid, tab: fileTabs.find((known) => known === tab) ?? "preview", within: place };
  }
  if (screen === "folder" && cid !== "") {
    return { screen, cid, path: decodePath([tab ?? "", ...below].join("/")) };
  }
  if (screen === "shared" || screen === "names" || screen === "storage") return { screen };
  return query ? { screen: "files", view: readView(query) } : { screen: "files" };
}

function encodePath(path: string): string {
  return path.split("/").map(encodeURIComponent).join("/");
}

/** Reads a path from a URL, which anyone may have written. */
function decodePath(path: string): string {
  try {
    return decodeURIComponent(path);
  } catch {
    return path;
  }
}
