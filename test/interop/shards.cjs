// @ts-check
// Runs the incumbent's key splitting in its own process, as it is CommonJS with eval("require").
// Reads one JSON request from standard input and writes one JSON response to standard output.
const { generate, recoverKey, shardKey } = require("@lighthouse-web3/kavach");

/** @typedef {{ key: string, index: string }} KeyShard */
/** @typedef {{ generate: number, shardKey: string[], recover: KeyShard[][] }} Request */

async function main() {
  let text = "";
  for await (const chunk of process.stdin.setEncoding("utf8")) text += chunk;
  /** @type {Request} */
  const request = JSON.parse(text);
  const generated = [];
  for (let made = 0; made < request.generate; made++) generated.push(await generate(3, 5));
  const sharded = [];
  for (const key of request.shardKey) sharded.push(await shardKey(key, 3, 5));
  const recovered = [];
  for (const shards of request.recover) recovered.push(await recoverKey(shards));
  process.stdout.write(JSON.stringify({ generated, sharded, recovered }));
}

void main();
