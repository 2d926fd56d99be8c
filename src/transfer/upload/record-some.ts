import type { UploadRecord } from "./upload-record.ts";

/** The record of those files of an upload that are at these indexes, which are sent by themselves. */
export function recordSome(record: UploadRecord, indexes: readonly number[]): UploadRecord {
  const place = <Value>(values: readonly Value[]): Value[] => {
    const all: Value[] = [];
    for (const [at, value] of values.entries()) {
      const index = indexes[at];
      if (index !== undefined && value !== undefined) all[index] = value;
    }
    return all;
  };
  const toIndex = (at: number) => indexes[at] ?? -1;
  return {
    expect: (files) => record.expect(place(files)),
    locate: (stored) => record.locate(place(stored)),
    save: (at, node) => record.save(toIndex(at), node),
    saved: (at) => record.saved(toIndex(at)),
    shareTo: (at) => record.shareTo(toIndex(at)),
    resume: (work) => work(),
  };
}
