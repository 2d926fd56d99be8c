/** Texts before signing in. */
export const connect = {
  headline: "Files that open for the people you choose.",
  pitch:
    "They are encrypted on your device before anything leaves it. Each file’s key is split across five key nodes; any three can restore it. A node that only reads its own disk learns nothing. But one operator runs all five, and a single node that misuses the requests it receives can read keys.",
  picture: "A file’s key is split across five nodes; any three can restore it.",
  recipientHeadline: "Someone sent you a file.",
  recipientFolderHeadline: "Someone sent you a folder.",
  recipientFolderHint:
    "Connect your wallet to open it. An encrypted folder opens for the wallet that it was shared with.",
  recipientHint: "Connect your wallet to open it. An encrypted file opens for the wallet that it was shared with.",
  unverified:
    "Not verified yet: this is what the network says. The file is verified once you’ve signed in and open it.",
  from: "From",
  title: "Connect a wallet",
  hint: "Your address is your account. Signing in takes two signatures, is free and can’t move your funds.",
  publicNetwork: "Public network",
  devnet: "Local devnet",
  browserWallet: "Browser wallet",
  noWallet: "No wallet found. Install one, such as MetaMask or Rabby, then reload this page.",
  testAccounts: "Test accounts on your local devnet.",
  waiting: (wallet: string) => `Waiting for ${wallet}…`,
  sign: (wallet: string) => `Sign the message in ${wallet}…`,
  waitingHint: "Don’t see a request? Open your wallet; it may be waiting behind this window.",
  chooseAnother: "Choose another wallet",
};
