import type { IconName } from "../ui/icon.tsx";

/** How a page can show a file. */
export type FileKind = "image" | "video" | "audio" | "text" | "pdf" | "other";

/** MIME types by file extension, for files whose type the network does not know. */
const types: Record<string, string> = {
  png: "image/png",
  jpg: "image/jpeg",
  jpeg: "image/jpeg",
  gif: "image/gif",
  webp: "image/webp",
  avif: "image/avif",
  svg: "image/svg+xml",
  mp4: "video/mp4",
  webm: "video/webm",
  mov: "video/quicktime",
  mp3: "audio/mpeg",
  ogg: "audio/ogg",
  wav: "audio/wav",
  pdf: "application/pdf",
  txt: "text/plain",
  md: "text/markdown",
  csv: "text/csv",
  json: "application/json",
  log: "text/plain",
};

/** Returns the network's MIME type if it is specific, otherwise one by the file extension. */
export function getMimeType(name: string, mimeType: string | null | undefined): string {
  const specific = mimeType && mimeType !== "application/octet-stream" ? mimeType : undefined;
  const extension = name.split(".").at(-1)?.toLowerCase() ?? "";
  // Not `constructor`, which every object has.
  return specific ?? (Object.hasOwn(types, extension) ? types[extension] : undefined) ?? "application/octet-stream";
}

export function getFileKind(type: string): FileKind {
  if (type === "application/pdf") return "pdf";
  if (/^text\/|^application\/(json|xml|javascript)/.test(type)) return "text";
  const [main] = type.split("/");
  return main === "image" || main === "video" || main === "audio" ? main : "other";
}

const icons: Record<FileKind, IconName> = {
  image: "image",
  video: "video",
  audio: "audio",
  text: "text",
  pdf: "text",
  other: "file",
};

export function getIconName(name: string, mimeType: string | null | undefined): IconName {
  return icons[getFileKind(getMimeType(name, mimeType))];
}
