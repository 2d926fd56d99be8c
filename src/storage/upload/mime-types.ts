import { mimes } from "mrmime";

/** Types that IANA has registered since, or that `mrmime` leaves out: those of other vendors, and of office files. */
const additionalTypes: Readonly<Record<string, string>> = {
  "7z": "application/x-7z-compressed",
  avi: "video/x-msvideo",
  bz2: "application/x-bzip2",
  car: "application/vnd.ipld.car",
  docx: "application/vnd.openxmlformats-officedocument.wordprocessingml.document",
  exe: "application/x-msdownload",
  flac: "audio/flac",
  ico: "image/vnd.microsoft.icon",
  jfif: "image/jpeg",
  mkv: "video/matroska",
  odp: "application/vnd.oasis.opendocument.presentation",
  ods: "application/vnd.oasis.opendocument.spreadsheet",
  odt: "application/vnd.oasis.opendocument.text",
  parquet: "application/vnd.apache.parquet",
  ppt: "application/vnd.ms-powerpoint",
  pptx: "application/vnd.openxmlformats-officedocument.presentationml.presentation",
  rar: "application/vnd.rar",
  rtf: "application/rtf",
  tar: "application/x-tar",
  xls: "application/vnd.ms-excel",
  xlsx: "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
  xml: "application/xml",
  yaml: "application/yaml",
  yml: "application/yaml",
  zst: "application/zstd",
};

const typesByEnding = new Map(Object.entries({ ...mimes, ...additionalTypes }));

/** Returns the media type that a file's name indicates, or `null` if it indicates none. */
export function getMimeType(name: string): string | null {
  const ending = /[^/]\.([a-z0-9]+)$/i.exec(name)?.[1]?.toLowerCase() ?? "";
  return typesByEnding.get(ending) ?? null;
}
