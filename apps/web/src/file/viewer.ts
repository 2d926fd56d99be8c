/** How the page shows a file. */
export type Viewer = "image" | "video" | "audio" | "pdf" | "markdown" | "table" | "json" | "code" | "text" | "none";

const viewersByExtension: Readonly<Record<string, Viewer>> = {
  md: "markdown",
  markdown: "markdown",
  csv: "table",
  tsv: "table",
  json: "json",
  webmanifest: "json",
  ...Object.fromEntries(
    [
      "c cc cpp cs css go h hpp htm html java js jsx kt less lua mjs cjs mts cts php pl py r rb rs scala scss sh sol",
      "sql svg swift tex toml ts tsx vue xhtml xml yaml yml zig",
    ]
      .join(" ")
      .split(" ")
      .map((extension) => [extension, "code"] as const),
  ),
};

const viewersByType: readonly (readonly [pattern: RegExp, viewer: Viewer])[] = [
  [/^application\/pdf$/, "pdf"],
  [/^image\/(png|jpeg|gif|webp|avif|bmp|x-icon|vnd\.microsoft\.icon)$/, "image"],
  [/^video\/[\w.+-]+$/, "video"],
  [/^audio\/[\w.+-]+$/, "audio"],
  [/^text\/markdown$/, "markdown"],
  [/^text\/(csv|tab-separated-values)$/, "table"],
  [/^application\/json$/, "json"],
  [/^(text\/(html|css|javascript|xml)|image\/svg\+xml|application\/(javascript|xml|xhtml\+xml))$/, "code"],
  [/^text\//, "text"],
];

/** Chooses the viewer of a file by its extension, then by its MIME type. HTML and SVG are shown as code: never run. */
export function getViewer(name: string, type: string): Viewer {
  const extension = /\.([a-z0-9]+)$/i.exec(name)?.[1]?.toLowerCase() ?? "";
  const [essence = ""] = type.toLowerCase().split(";");
  return (
    (Object.hasOwn(viewersByExtension, extension) ? viewersByExtension[extension] : undefined) ??
    viewersByType.find(([pattern]) => pattern.test(essence.trim()))?.[1] ??
    "none"
  );
}

/** Returns the MIME type for a Blob. A URL of this site must never be a document that runs scripts, even in a new tab. */
export function getBlobType(viewer: Viewer, type: string): string {
  switch (viewer) {
    case "image":
    case "video":
    case "audio":
    case "pdf":
      // Without parameters, which could name another type.
      return type.split(";")[0]?.trim().toLowerCase() ?? "";
    case "none":
      return "application/octet-stream";
    default:
      return "text/plain;charset=utf-8";
  }
}

/** Kinds of files of which browsers read only the parts that they show. */
export type MediaViewer = "video" | "audio" | "pdf";

/** Whether this browser can read parts of such a file: that takes a Service Worker, which some windows do not have. */
export function canStream(viewer: Viewer): viewer is MediaViewer {
  return (viewer === "video" || viewer === "audio" || viewer === "pdf") && "serviceWorker" in navigator;
}
