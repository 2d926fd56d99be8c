import * as jobs from "./jobs.js";

globalThis.jobs = {
  ...jobs,
  // React is larger than the rest of this page: it is loaded later, in its own file.
  showFiles: async () => (await import("./show.js")).show(document.getElementById("root")),
};
