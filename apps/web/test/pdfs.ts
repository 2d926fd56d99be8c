import { constants, deflateRawSync, deflateSync } from "node:zlib";

type Part = string | Buffer;

/** Joins the objects of a PDF, of which the first is the catalogue; `trailer` has more entries of its trailer. */
function joinPdf(objects: readonly Part[], trailer = ""): Buffer {
  const parts: Buffer[] = [];
  let length = 0;
  const add = (part: Part) => {
    const bytes = Buffer.from(part as string);
    parts.push(bytes);
    length += bytes.length;
  };
  add("%PDF-1.4\n");
  const rows = objects.map((object, at) => {
    const row = `${String(length).padStart(10, "0")} 00000 n \n`;
    for (const part of [`${at + 1} 0 obj\n`, object, "\nendobj\n"]) add(part);
    return row;
  });
  const size = objects.length + 1;
  const start = length;
  add(`xref\n0 ${size}\n0000000000 65535 f \n${rows.join("")}`);
  add(`trailer\n<< /Size ${size} /Root 1 0 R ${trailer} >>\nstartxref\n${start}\n%%EOF\n`);
  return Buffer.concat(parts);
}

function toStream(entries: string, data: Part): Buffer {
  const bytes = Buffer.from(data as string);
  const head = Buffer.from(`<< /Length ${bytes.length} ${entries} >>\nstream\n`);
  return Buffer.concat([head, bytes, Buffer.from("\nendstream")]);
}

interface PageParts {
  /** Its drawing, with `/P Do` for the picture, `/X0 Do` for the first form, and the font `/F1`. */
  drawing?: Part;
  drawingEntries?: string;
  /** Width and height of the page, in points. */
  size?: readonly [number, number];
  picture?: Buffer;
  /** Drawings that others draw, by number. */
  forms?: readonly string[];
  /** More entries of the catalogue, of the page, and of the trailer. */
  catalogue?: string;
  page?: string;
  trailer?: string;
}

/** A page with a picture in its middle, and a line of text below. */
const paper = "q 300 0 0 200 50 150 cm /P Do Q BT /F1 60 Tf 40 50 Td (Kept light) Tj ET";

/** A PDF of one page. */
export function createPdf({
  drawing = paper,
  drawingEntries = "",
  size = [400, 400],
  picture = createPixels([200, 40, 40]),
  forms = [],
  catalogue = "",
  page = "",
  trailer = "",
}: PageParts = {}): Buffer {
  const formNames = forms.map((_, at) => `/X${at} ${at + 7} 0 R`).join(" ");
  const resources = `/Resources << /Font << /F1 5 0 R >> /XObject << /P 6 0 R ${formNames} >> >>`;
  const form = (content: string) => toStream(`/Type /XObject /Subtype /Form /BBox [0 0 400 400] ${resources}`, content);
  const objects = [
    `<< /Type /Catalog /Pages 2 0 R ${catalogue} >>`,
    "<< /Type /Pages /Kids [3 0 R] /Count 1 >>",
    `<< /Type /Page /Parent 2 0 R /MediaBox [0 0 ${size.join(" ")}] /Contents 4 0 R ${resources} ${page} >>`,
    toStream(drawingEntries, drawing),
    "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>",
    picture,
    ...forms.map(form),
  ];
  return joinPdf(objects, trailer);
}

/** A picture of a page, of one colour. */
function createPixels(colour: readonly [number, number, number]): Buffer {
  const pixels = Buffer.concat(Array<Buffer>(120 * 90).fill(Buffer.from(colour)));
  const format = "/Width 120 /Height 90 /ColorSpace /DeviceRGB /BitsPerComponent 8 /Filter /FlateDecode";
  return toStream(`/Type /XObject /Subtype /Image ${format}`, deflateSync(pixels));
}

/** Two pages, of which the first is red, and the second blue. */
export function createTwoPagePdf(): Buffer {
  const page = (contents: number) =>
    `<< /Type /Page /Parent 2 0 R /MediaBox [0 0 400 400] /Contents ${contents} 0 R >>`;
  const fill = (colour: string) => toStream("", `${colour} rg 0 0 400 400 re f`);
  return joinPdf([
    "<< /Type /Catalog /Pages 2 0 R >>",
    "<< /Type /Pages /Kids [3 0 R 5 0 R] /Count 2 >>",
    page(4),
    fill("1 0 0"),
    page(6),
    fill("0 0 1"),
  ]);
}

/** A page of this size whose right half is red. */
export function createHalfPdf(width: number, height: number, page = ""): Buffer {
  return createPdf({ size: [width, height], page, drawing: `1 0 0 rg ${width / 2} 0 ${width} ${height} re f` });
}

/** A page under a blue annotation with an appearance of its own, as forms and stamps have. */
export function createStampedPdf(): Buffer {
  const stamp = "<< /Type /Annot /Subtype /Stamp /F 4 /Rect [0 0 400 400] /AP << /N 7 0 R >> >>";
  return createPdf({ forms: ["0 0 1 rg 0 0 400 400 re f"], page: `/Annots [${stamp}]` });
}

/** A page of noise, of which a picture without losses is large. */
export function createNoisyPdf(): Buffer {
  let seed = 1;
  const noise = Buffer.from(
    Uint8Array.from({ length: 256 * 256 * 3 }, () => {
      seed = (seed * 48_271) % 2_147_483_647;
      return seed >> 8;
    }),
  );
  const format = "/Width 256 /Height 256 /ColorSpace /DeviceRGB /BitsPerComponent 8";
  const picture = toStream(`/Type /XObject /Subtype /Image ${format}`, noise);
  return createPdf({ picture, drawing: "q 400 0 0 400 0 0 cm /P Do Q" });
}

/** A page with a black picture of one bit for each pixel. */
export function createLargePicturePdf(edge: number): Buffer {
  const format = `/Width ${edge} /Height ${edge} /ColorSpace /DeviceGray /BitsPerComponent 1 /Filter /FlateDecode`;
  const pixels = deflateSync(Buffer.alloc(edge * Math.ceil(edge / 8)));
  return createPdf({ picture: toStream(`/Type /XObject /Subtype /Image ${format}`, pixels) });
}

/** A page that takes for ever: ten forms, each of which draws the next one 40 times. `mark` makes it another file. */
export function createEndlessPdf(mark = ""): Buffer {
  const forms = Array.from({ length: 10 }, (_, at) => `/X${at + 1} Do `.repeat(40));
  return createPdf({ drawing: `/X0 Do % ${mark}`, forms: [...forms, "1 0 0 rg 0 0 9 9 re f"] });
}

/** A page whose drawing is as many MiB of spaces, in a file that is a thousandth of that. */
export function createInflatingPdf(mib: number): Buffer {
  const block = deflateRawSync(Buffer.alloc(1024 * 1024, " "), { finishFlush: constants.Z_FULL_FLUSH });
  const drawing = Buffer.concat([Buffer.from("789c", "hex"), ...Array<Buffer>(mib).fill(block)]);
  return createPdf({ drawing, drawingEntries: "/Filter /FlateDecode" });
}

/** A page that only a password opens. */
export function createLockedPdf(): Buffer {
  const check = (byte: string) => `<${byte.repeat(32)}>`;
  const encrypt = `<< /Filter /Standard /V 1 /R 2 /O ${check("a1")} /U ${check("5e")} /P -4 >>`;
  return createPdf({ trailer: `/Encrypt ${encrypt} /ID [${check("07")} ${check("07")}]` });
}

/** A page that asks for something at this URL: by scripts, a form, a link, a film and a picture outside the file. */
export function createCuriousPdf(url: string): Buffer {
  const script = `<< /S /JavaScript /JS (app.launchURL\\("${url}js", true\\); fetch\\("${url}fetch"\\)) >>`;
  const submit = `<< /S /SubmitForm /F << /FS /URL /F (${url}form) >> >>`;
  const link = `<< /Type /Annot /Subtype /Link /Rect [0 0 400 400] /A << /S /URI /URI (${url}link) >> >>`;
  const film = `<< /Type /Annot /Subtype /Movie /Rect [0 0 9 9] /Movie << /F << /FS /URL /F (${url}film) >> >> /A true >>`;
  const format = "/Width 1 /Height 1 /ColorSpace /DeviceGray /BitsPerComponent 8";
  const outside = toStream(`/Type /XObject /Subtype /Image ${format} /F << /FS /URL /F (${url}picture) >>`, "0");
  return createPdf({
    picture: outside,
    catalogue: `/OpenAction ${script} /AA << /WC ${submit} >> /URI << /Base (${url}) >>`,
    page: `/Annots [${link} ${film}] /AA << /O ${script} >>`,
  });
}
