import type { IconName } from "../ui/icon.tsx";

/** How a page can show a file. */
export type FileKind = "image" | "video" | "audio" | "text" | "pdf" | "other";

/** MIME types by the end of a name, for files whose type the network does not know. */
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

/** The type that the network says, unless that is none; else by the name. */
export function typeOf(name: string, mimeType: string | null | undefined): string {
  const said = mimeType && mimeType !== "application/octet-stream" ? mimeType : undefined;
  return said ?? types[name.split(".").at(-1)?.toLowerCase() ?? ""] ?? "application/octet-stream";
}

export function kindOf(type: string): FileKind {
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

export function iconOf(name: string, mimeType: string | null | undefined): IconName {
  return icons[kindOf(typeOf(name, mimeType))];
}
