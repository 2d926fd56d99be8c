import { errors } from "./en/errors.ts";
import { files } from "./en/files.ts";
import { names } from "./en/names.ts";
import { pay } from "./en/pay.ts";
import { shell } from "./en/shell.ts";
import { storage } from "./en/storage.ts";
import { ui } from "./en/ui.ts";
import { uploads } from "./en/uploads.ts";

/** All texts of the app in English, by screen. Sentences with values are functions. */
export const en = { ui, shell, files, names, storage, pay, uploads, errors };

/** The texts in any language. */
export type Messages = typeof en;
