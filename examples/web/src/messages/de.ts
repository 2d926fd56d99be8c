import { errors } from "./de/errors.ts";
import { files } from "./de/files.ts";
import { names } from "./de/names.ts";
import { pay } from "./de/pay.ts";
import { shell } from "./de/shell.ts";
import { storage } from "./de/storage.ts";
import { ui } from "./de/ui.ts";
import { uploads } from "./de/uploads.ts";
import type { Messages } from "./en.ts";

/** All texts of the app in German. Loaded when it is chosen. */
export const de: Messages = { ui, shell, files, names, storage, pay, uploads, errors };
