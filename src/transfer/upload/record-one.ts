import type { UploadRecord } from "./upload-record.ts";

/** The record of one file of an upload, which is sent by itself. */
export function recordOne(record: UploadRecord, index: number): UploadRecord {
  const place = <Value>(values: readonly Value[]): Value[] => {
    const all: Value[] = new Array(index);
    const [value] = values;
    if (value !== undefined) all[index] = value;
    return all;
  };
  return {
    expect: (files) => record.expect(place(files)),
    locate: (stored) => record.locate(place(stored)),
    save: (_, node) => record.save(index, node),
    saved: () => record.saved(index),
    shareTo: () => record.shareTo(index),
    resume: (work) => work(),
  };
}
