import * as jobs from "./jobs.js";

globalThis.jobs = {
  ...jobs,
  // React is larger than all the rest of this page: it comes later, in a file of its own.
  showFiles: async () => (await import("./show.js")).show(document.getElementById("root")),
};
