import type { ListedFile } from "keeplight";
import type { Row } from "../drive/rows.ts";
import { type FileKind, getFileKind, getMimeType } from "./file-kind.ts";

/** What the list can be sorted by. */
export const sortings = ["newest", "oldest", "name", "name-descending", "largest", "smallest"] as const;
export type Sorting = (typeof sortings)[number];

/** Which files the list shows. */
export const filters = ["all", "encrypted", "public", "image", "media", "document"] as const;
type Filter = (typeof filters)[number];

/** How the list is shown: part of the page's URL. */
export interface FilesView {
  search: string;
  show: Filter;
  sort: Sorting;
}

export const defaultView: FilesView = { search: "", show: "all", sort: "newest" };

/** Reads a view from the query of a URL; what it does not know is the default. */
export function readView(query: string): FilesView {
  const params = new URLSearchParams(query);
  return {
    search: params.get("q") ?? "",
    show: filters.find((filter) => filter === params.get("show")) ?? "all",
    sort: sortings.find((sorting) => sorting === params.get("sort")) ?? "newest",
  };
}

/** Writes a view as the query of a URL, without what is the default. */
export function writeView({ search, show, sort }: FilesView): string {
  const params = new URLSearchParams();
  if (search !== "") params.set("q", search);
  if (show !== "all") params.set("show", show);
  if (sort !== "newest") params.set("sort", sort);
  return params.toString();
}

const kinds: Partial<Record<Filter, readonly FileKind[]>> = {
  image: ["image"],
  media: ["video", "audio"],
  document: ["text", "pdf"],
};

const names = new Intl.Collator(undefined, { numeric: true, sensitivity: "base" });
const searched = new WeakMap<ListedFile, string>();

/** Returns the rows that a view shows, in its order, folders first. */
export function selectFiles(files: readonly Row[], { search, show, sort }: FilesView): readonly Row[] {
  const looked = search.trim().toLowerCase();
  const shown = files.filter((file) => isShown(file, show) && (looked === "" || getSearched(file).includes(looked)));
  const compare = comparisons[sort];
  return shown.sort((one, other) => rank(one) - rank(other) || compare(one, other));
}

const rank = ({ entry }: Row) => (entry?.type === "folder" ? 0 : 1);

function isShown({ encryption, fileName, mimeType }: ListedFile, show: Filter): boolean {
  if (show === "all") return true;
  if (show === "encrypted" || show === "public") return (encryption === true) === (show === "encrypted");
  return kinds[show]?.includes(getFileKind(getMimeType(fileName ?? "", mimeType))) === true;
}

/** Lower case is computed once for each file: a keystroke searches thousands of them. */
function getSearched(file: ListedFile): string {
  let text = searched.get(file);
  if (text === undefined) {
    text = `${file.fileName ?? ""} ${file.cid}`.toLowerCase();
    searched.set(file, text);
  }
  return text;
}

const getTime = ({ createdAt }: ListedFile) => createdAt ?? 0;
const getSize = ({ fileSizeInBytes }: ListedFile) => Number(fileSizeInBytes ?? 0);
const compareNames = (one: ListedFile, other: ListedFile) => names.compare(one.fileName ?? "", other.fileName ?? "");

const comparisons: Record<Sorting, (one: ListedFile, other: ListedFile) => number> = {
  newest: (one, other) => getTime(other) - getTime(one),
  oldest: (one, other) => getTime(one) - getTime(other),
  name: compareNames,
  "name-descending": (one, other) => compareNames(other, one),
  largest: (one, other) => getSize(other) - getSize(one),
  smallest: (one, other) => getSize(one) - getSize(other),
};
