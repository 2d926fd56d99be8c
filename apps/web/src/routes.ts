import { useSyncExternalStore } from "react";
import { type FilesView, readView, writeView } from "./files/files-view.ts";

/** Tabs of the file screen. */
export const fileTabs = ["preview", "people", "conditions", "proof"] as const;
export type FileTab = (typeof fileTabs)[number];

/** Screens whose URL has no more than their name. */
const plainScreens = ["trash", "shared", "contacts", "names", "storage", "settings"] as const;

/** Every screen. */
export type Route =
  | { screen: "files"; view?: FilesView; folder?: string }
  | { screen: (typeof plainScreens)[number] }
  /** Somebody asks for access. `fragment` is all of the URL's, which anyone may have written: it is read by that screen. */
  | { screen: "request"; fragment: string }
  | FileRoute
  | { screen: "folder"; cid: string; path: string };

/** A file's page. */
interface FileRoute {
  screen: "file";
  cid: string;
  tab: FileTab;
  /** Where it was found: the CID of a folder and the path below it, separated by slashes. */
  within?: string | undefined;
  /** What its owner calls it, in a link for others: the network does not know the name. */
  name?: string | undefined;
}

/** Returns the `href` of a screen. */
export function toHref(route: Route): string {
  if (route.screen === "file") {
    const { within, name } = route;
    const place =
      within !== undefined ? `?in=${encodePath(within)}` : name === undefined ? "" : `?name=${encode(name)}`;
    return `#/file/${route.cid}/${route.tab}${place}`;
  }
  if (route.screen === "folder") return `#/folder/${encodePath(joinPath(route.cid, route.path))}`;
  if (route.screen === "request") return route.fragment;
  if (route.screen !== "files") return `#/${route.screen}`;
  const query = route.view ? writeView(route.view) : "";
  return `#/files${route.folder ? `/${encodePath(route.folder)}` : ""}${query && `?${query}`}`;
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
    const read = (field: string) => (query?.startsWith(field) ? decodePath(query.slice(field.length)) : undefined);
    const known = fileTabs.find((each) => each === tab) ?? "preview";
    return { screen, cid, tab: known, within: read("in="), name: read("name=") };
  }
  if (screen === "request") return { screen, fragment: hash };
  if (screen === "folder" && cid !== "") {
    return { screen, cid, path: decodePath([tab ?? "", ...below].join("/")) };
  }
  const plain = plainScreens.find((each) => each === screen);
  if (plain) return { screen: plain };
  const folder = screen === "files" ? decodePath([cid, tab ?? "", ...below].filter(Boolean).join("/")) : "";
  return { screen: "files", ...(folder && { folder }), ...(query && { view: readView(query) }) };
}

function encodePath(path: string): string {
  return path.split("/").map(encode).join("/");
}

/** Also what ends a link in the text that it is pasted into. */
function encode(text: string): string {
  return encodeURIComponent(text.replace(/\p{Surrogate}/gu, "\ufffd")).replace(
    /[()'!*]/g,
    (each) => `%${each.charCodeAt(0).toString(16)}`,
  );
}

/** Reads a path from a URL, which anyone may have written. */
function decodePath(path: string): string {
  try {
    return decodeURIComponent(path);
  } catch {
    return path;
  }
}
