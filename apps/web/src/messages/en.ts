import { connect } from "./en/connect.ts";
import { contacts } from "./en/contacts.ts";
import { details } from "./en/details.ts";
import { drive } from "./en/drive.ts";
import { errors } from "./en/errors.ts";
import { file } from "./en/file.ts";
import { files } from "./en/files.ts";
import { folder } from "./en/folder.ts";
import { keys } from "./en/keys.ts";
import { links } from "./en/links.ts";
import { names } from "./en/names.ts";
import { pay } from "./en/pay.ts";
import { people } from "./en/people.ts";
import { preview } from "./en/preview.ts";
import { proof } from "./en/proof.ts";
import { requests } from "./en/requests.ts";
import { rules } from "./en/rules.ts";
import { session } from "./en/session.ts";
import { settings } from "./en/settings.ts";
import { shared } from "./en/shared.ts";
import { shell } from "./en/shell.ts";
import { storage } from "./en/storage.ts";
import { ui } from "./en/ui.ts";
import { uploads } from "./en/uploads.ts";

/** All texts of the app in English, by screen. Sentences with values are functions. */
export const en = {
  ui,
  connect,
  contacts,
  shell,
  files,
  keys,
  details,
  drive,
  file,
  folder,
  preview,
  people,
  requests,
  rules,
  proof,
  session,
  settings,
  shared,
  links,
  names,
  storage,
  pay,
  uploads,
  errors,
};

/** The texts in any language. */
export type Messages = typeof en;
