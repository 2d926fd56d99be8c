/** Texts of controls that several screens share. */
export const ui = {
  cancel: "Cancel",
  close: "Close",
  justNow: "just now",
  reload: "Reload",
  tryAgain: "Try again",
  delete: "Delete",
  copy: "Copy",
  copyThing: (what: string) => `Copy ${what}`,
  copied: (what: string) => `Copied the ${what}`,
  notCopied: (what: string, text: string) => `The browser did not allow copying. The ${what} is ${text}`,
  notCopiedSecret: "The browser did not allow copying.",
  showPassword: "Show password",
  hidePassword: "Hide password",
  viewOnGateway: "View on gateway",
};
