// Programs in the style of the incumbent's quick-start pages, which print whole results, name paths by variables and
// chain promises. What they print differs once they are migrated: the kit's plain result in place of `{ data }`.

/** A quick-start, and why some of its calls are left. */
export interface QuickStart {
  /** Its ending decides how it is parsed. */
  file: string;
  text: string;
  left: readonly string[];
}

const signing = `import * as dotenv from 'dotenv'
dotenv.config()
import { ethers } from 'ethers'
import lighthouse from '@lighthouse-web3/sdk'

const signAuthMessage = async (privateKey) => {
  const signer = new ethers.Wallet(privateKey)
  const authMessage = await lighthouse.getAuthMessage(signer.address)
  return await signer.signMessage(authMessage.data.message)
}
`;

export const quickStarts: readonly QuickStart[] = [
  {
    file: "upload.mjs",
    left: [],
    text: `import lighthouse from '@lighthouse-web3/sdk'

const apiKey = 'YOUR_API_KEY'
const uploadResponse = await lighthouse.upload('/home/user/photo.jpg', apiKey)

console.log(uploadResponse)
`,
  },
  {
    file: "upload-path.js",
    left: [],
    text: `import lighthouse from '@lighthouse-web3/sdk'

const uploadFile = async (path, apiKey) => {
  const response = await lighthouse.upload(path, apiKey)
  console.log(response)
  console.log('Visit at: https://gateway.lighthouse.storage/ipfs/' + response.data.Hash)
}
const path = '/path/to/file.jpg'
uploadFile(path, process.env.API_KEY)
`,
  },
  {
    file: "upload-env.cjs",
    left: [],
    text: `require('dotenv').config()
const { upload, uploadText, getUploads } = require('@lighthouse-web3/sdk')

async function main() {
  const file = await upload(process.env.FILE, process.env.API_KEY)
  console.log('File:', file)
  const text = await uploadText('Hello', process.env.API_KEY, 'hello.txt')
  console.log('Text:', text.data)
  console.log(await getUploads(process.env.API_KEY))
}
main().catch(console.error)
`,
  },
  {
    file: "chain.cjs",
    left: [],
    text: `const lighthouse = require('@lighthouse-web3/sdk')
const { upload, getBalance } = lighthouse

upload(__dirname + '/a.txt', process.env.KEY)
  .then((response) => console.log(response))
  .catch((error) => console.error(error))
getBalance(process.env.KEY).then(console.log)
lighthouse.uploadText('Hello', process.env.KEY, 'a').then(console.log).catch(console.error)
`,
  },
  {
    file: "buffer.mjs",
    left: [],
    text: `import fs from 'fs'
import lighthouse from '@lighthouse-web3/sdk'

const buffer = fs.readFileSync('/path/to/file.jpg')
const response = await lighthouse.uploadBuffer(buffer, 'YOUR_API_KEY')
console.log(response)
`,
  },
  {
    file: "account.mjs",
    left: [],
    text: `import lighthouse from '@lighthouse-web3/sdk'

const wallet = await lighthouse.createWallet('Password for wallet encryption')
console.log(wallet)
const balance = await lighthouse.getBalance('YOUR_API_KEY')
console.log(balance)
const uploads = await lighthouse.getUploads('YOUR_API_KEY')
console.log(uploads)
const info = await lighthouse.getFileInfo('QmCid')
console.log('Info:', JSON.stringify(info, null, 2))
const status = await lighthouse.dealStatus('QmCid')
console.log(status)
`,
  },
  {
    file: "names.mjs",
    left: [],
    text: `import lighthouse from '@lighthouse-web3/sdk'

const apiKey = process.env.API_KEY
const keyResponse = await lighthouse.generateKey(apiKey)
const pubResponse = await lighthouse.publishRecord('QmCid', keyResponse.data.ipnsName, apiKey)
console.log(pubResponse)
const allKeys = await lighthouse.getAllKeys(apiKey)
console.log(allKeys.data)
const removeRes = await lighthouse.removeKey(keyResponse.data.ipnsName, apiKey)
console.log(removeRes)
`,
  },
  {
    file: "api-key.mjs",
    left: [],
    text: `import axios from 'axios'
import { ethers } from 'ethers'
import lighthouse from '@lighthouse-web3/sdk'

const signAuthMessage = async (privateKey, verificationMessage) => {
  const signer = new ethers.Wallet(privateKey)
  return await signer.signMessage(verificationMessage)
}
const getApiKey = async () => {
  const wallet = { publicKey: '0xa3c960b3ba29367ecbcaf1430452c6cd7516f588', privateKey: process.env.KEY }
  const message = (await axios.get('https://api.lighthouse.storage/api/auth/get_message?publicKey=' + wallet.publicKey)).data
  const signedMessage = await signAuthMessage(wallet.privateKey, message)
  const response = await lighthouse.getApiKey(wallet.publicKey, signedMessage)
  console.log(response)
}
getApiKey()
`,
  },
  {
    file: "encrypted.mjs",
    left: [],
    text: `${signing}
const uploadEncrypted = async () => {
  const path = '/path/to/file.jpg'
  const publicKey = process.env.PUBLIC_KEY
  const signedMessage = await signAuthMessage(process.env.PRIVATE_KEY)
  const response = await lighthouse.uploadEncrypted(path, process.env.API_KEY, publicKey, signedMessage)
  console.log(response)
  const text = await lighthouse.textUploadEncrypted('a secret', process.env.API_KEY, publicKey, signedMessage)
  console.log(text)
}
uploadEncrypted()
`,
  },
  {
    file: "decrypt.mjs",
    left: [],
    text: `import fs from 'fs'
${signing}
const decrypt = async () => {
  const cid = process.env.CID
  const publicKey = process.env.PUBLIC_KEY
  const signedMessage = await signAuthMessage(process.env.PRIVATE_KEY)
  const fileEncryptionKey = await lighthouse.fetchEncryptionKey(cid, publicKey, signedMessage)
  const name = 'decrypted.jpg'
  const decrypted = await lighthouse.decryptFile(cid, fileEncryptionKey.data.key)
  fs.createWriteStream(name).write(Buffer.from(decrypted))
}
decrypt()
`,
  },
  {
    file: "sharing.mjs",
    left: [],
    text: `${signing}
const share = async () => {
  const [cid, publicKey] = [process.env.CID, process.env.PUBLIC_KEY]
  const receivers = ['0x487fc2fE07c593EAb555729c3DD6dF85020B5160']
  const signedMessage = await signAuthMessage(process.env.PRIVATE_KEY)
  const shareResponse = await lighthouse.shareFile(publicKey, receivers, cid, signedMessage)
  console.log(shareResponse)
  const access = await lighthouse.getAccessConditions(cid)
  console.log(access)
  const revoked = await lighthouse.revokeFileAccess(publicKey, '0x487fc2fE07c593EAb555729c3DD6dF85020B5160', cid, signedMessage)
  console.log(revoked)
}
share()
`,
  },
  {
    file: "conditions.mjs",
    left: [],
    text: `${signing}
const accessControl = async () => {
  const conditions = [
    {
      id: 1,
      chain: 'Optimism',
      method: 'balanceOf',
      standardContractType: 'ERC20',
      contractAddress: '0xF0Bc72fA04aea04d04b1fA80B359Adb566E1c8B1',
      returnValueTest: { comparator: '>=', value: '0' },
      parameters: [':userAddress'],
    },
  ]
  const aggregator = '([1])'
  const signedMessage = await signAuthMessage(process.env.PRIVATE_KEY)
  const response = await lighthouse.applyAccessCondition(process.env.PUBLIC_KEY, 'QmCid', signedMessage, conditions, aggregator)
  console.log(response)
}
accessControl()
`,
  },
  {
    file: "page.jsx",
    left: ["it may receive a page's list of files"],
    text: `import React from 'react'
import lighthouse from '@lighthouse-web3/sdk'

export function App() {
  const progressCallback = (progressData) => {
    console.log(progressData.progress)
  }
  const uploadFile = async (files) => {
    const output = await lighthouse.upload(files, 'YOUR_API_KEY', 1, progressCallback)
    console.log('File Status:', output)
  }
  const uploadFirst = async (e) => {
    const output = await lighthouse.upload([e.target.files[0]], 'YOUR_API_KEY')
    console.log('File Status:', output)
  }
  return <input onChange={(e) => uploadFile(e.target.files)} onBlur={uploadFirst} type="file" />
}
`,
  },
  {
    file: "decrypt-page.jsx",
    left: [],
    text: `import React from 'react'
import lighthouse from '@lighthouse-web3/sdk'

export function App({ sign, show }) {
  const decrypt = async () => {
    const cid = 'QmCid'
    const { publicKey, signedMessage } = await sign()
    const keyObject = await lighthouse.fetchEncryptionKey(cid, publicKey, signedMessage)
    const fileType = 'image/jpeg'
    const decrypted = await lighthouse.decryptFile(cid, keyObject.data.key, fileType)
    const url = URL.createObjectURL(decrypted)
    show(url)
  }
  return <button onClick={() => decrypt()}>decrypt</button>
}
`,
  },
  {
    file: "kavach.mjs",
    left: ["its failure is returned"],
    text: `import { ethers } from 'ethers'
import { generate, getAuthMessage, recoverKey, saveShards } from '@lighthouse-web3/kavach'

async function main() {
  const signer = new ethers.Wallet(process.env.PRIVATE_KEY)
  const { masterKey, keyShards } = await generate()
  const authMessage = await getAuthMessage(signer.address)
  const signedMessage = await signer.signMessage(authMessage.message)
  const { error, isSuccess } = await saveShards(signer.address, 'QmCid', signedMessage, keyShards)
  console.log(error === null)
  console.log(isSuccess === true)
  const { masterKey: recovered } = await recoverKey(keyShards)
  console.log(masterKey === recovered)
}
main()
`,
  },
  {
    file: "typed.ts",
    left: [],
    text: `import lighthouse from "@lighthouse-web3/sdk";

const apiKey = process.env.API_KEY as string;

async function main(): Promise<void> {
  const quote = await lighthouse.getQuote(process.env.FILE!, apiKey);
  console.log(quote.data.metaData[0].fileSize, quote.data.totalSize);
  const uploaded = await lighthouse.upload(process.env.FILE!, apiKey);
  console.log(uploaded);
  const { data } = await lighthouse.getFileInfo(uploaded.data.Hash);
  console.log(data);
}
void main();
`,
  },
  {
    file: "handlers.mjs",
    left: [],
    text: `const lighthouse = (await import('@lighthouse-web3/sdk')).default

function show(response) {
  console.log(response.data.fileList[0].cid, response)
}
lighthouse.getUploads('YOUR_API_KEY').then(show).catch((error) => console.log(error.message))
lighthouse.dealStatus('QmCid').then(async function (status) {
  console.log(status.data)
  await lighthouse.deleteFile('YOUR_API_KEY', 'file id').then(({ data }) => console.log(data.message))
})
`,
  },
];
