/** A PDF of one page with a line of text. */
export const pdf = Buffer.from(createPdf("Kept light, kept safe"));

function createPdf(line: string): string {
  const drawing = `BT /F1 28 Tf 60 700 Td (${line}) Tj ET`;
  const objects = [
    "<< /Type /Catalog /Pages 2 0 R >>",
    "<< /Type /Pages /Kids [3 0 R] /Count 1 >>",
    "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] /Contents 4 0 R /Resources << /Font << /F1 5 0 R >> >> >>",
    `<< /Length ${drawing.length} >>\nstream\n${drawing}\nendstream`,
    "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>",
  ];
  let text = "%PDF-1.4\n";
  const offsets = objects.map((object, at) => {
    const offset = text.length;
    text += `${at + 1} 0 obj\n${object}\nendobj\n`;
    return offset;
  });
  const rows = offsets.map((offset) => `${String(offset).padStart(10, "0")} 00000 n \n`).join("");
  const size = objects.length + 1;
  return (
    `${text}xref\n0 ${size}\n0000000000 65535 f \n${rows}` +
    `trailer\n<< /Size ${size} /Root 1 0 R >>\nstartxref\n${text.length}\n%%EOF\n`
  );
}

/** Runs in a page: records half a second of a sunrise, as WebM in base64. */
export async function recordVideo(): Promise<string> {
  const canvas = Object.assign(document.createElement("canvas"), { width: 320, height: 180 });
  const pen = canvas.getContext("2d");
  if (!pen) throw new Error("The canvas has no 2D context");
  const recorder = new MediaRecorder(canvas.captureStream(30), { mimeType: "video/webm" });
  const parts: Blob[] = [];
  recorder.ondataavailable = ({ data }) => parts.push(data);
  const stopped = new Promise((resolve) => {
    recorder.onstop = resolve;
  });
  recorder.start();
  for (let frame = 0; frame < 20; frame++) {
    pen.fillStyle = "#0b4a55";
    pen.fillRect(0, 0, 320, 180);
    pen.fillStyle = "#f5b942";
    pen.beginPath();
    pen.arc(160, 200 - frame * 5, 36, 0, 7);
    pen.fill();
    await new Promise((resolve) => setTimeout(resolve, 30));
  }
  recorder.stop();
  await stopped;
  const bytes = new Uint8Array(await new Blob(parts).arrayBuffer());
  return btoa(Array.from(bytes, (byte) => String.fromCharCode(byte)).join(""));
}
