// OpenTDF's JavaScript SDK as a peer: one job per line on stdin, one answer per line on stdout (see ../exchange.py for the jobs).
// usage: node peer.mjs FOLDER, where FOLDER is `lib` of a built checkout of opentdf/web-sdk.
//
// All its requests go to the stub server of the Go peer, whatever URL a file names: job "kas" says where that is.

import { readFile, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { createInterface } from 'node:readline';
import { pathToFileURL } from 'node:url';

const lib = resolve(process.argv[2]);
const load = (file) => import(pathToFileURL(join(lib, file)));
const { OpenTDF, authTokenDPoPInterceptor } = await load('dist/web/src/index.js');
const { version } = JSON.parse(await readFile(join(lib, 'package.json'), 'utf8'));

console.log = console.info = console.debug = console.warn = console.error; // stdout is for answers

process.on('unhandledRejection', (e) => console.error(e)); // the SDK leaves some errors to nobody; the job fails all the same

const platformUrl = 'https://platform.example.com';
let stub;
const fetchAnywhere = globalThis.fetch;
globalThis.fetch = (input, init) => {
  const request = new Request(input, init);
  const { pathname, search } = new URL(request.url);
  return fetchAnywhere(new Request(stub + pathname + search, request));
};

const dpop = authTokenDPoPInterceptor({ tokenProvider: async () => 'stub' });
const client = new OpenTDF({ interceptors: [dpop], dpopKeys: dpop.dpopKeys, platformUrl });

// The form of the files is that of the command line tools; the library wants `key` apart.
const keyOf = ({ alg, key }) => ({ alg, key: alg === 'HS256' ? new TextEncoder().encode(key) : key });

async function encrypt(job) {
  const assertions = job.assertions ? JSON.parse(await readFile(job.assertions, 'utf8')) : [];
  // createTDF() knows no metadata, the client that it wraps does.
  const { stream } = await client.tdf3Client.encrypt({
    source: new Blob([await readFile(job.in)]).stream(),
    defaultKASEndpoint: job.to[0].url,
    splitPlan: job.to.length > 1 ? job.to.map(({ url }, i) => ({ kas: url, sid: job.any ? '1' : `${i + 1}` })) : undefined,
    scope: { attributes: job.attributes ?? [] },
    windowSize: job.segment_size,
    mimeType: job.mime_type,
    metadata: job.metadata,
    systemMetadataAssertion: job.system_metadata,
    wrappingKeyAlgorithm: job.wrap,
    tdfSpecVersion: job.target_mode || undefined,
    assertionConfigs: assertions.map((a) => (a.signingKey ? { ...a, signingKey: keyOf(a.signingKey) } : a)),
  });
  await writeFile(job.out, new Uint8Array(await new Response(stream).arrayBuffer()));
  return {};
}

async function decrypt(job) {
  const options = {
    source: { type: 'buffer', location: new Uint8Array(await readFile(job.in)) },
    platformUrl,
    ignoreAllowlist: true,
    noVerify: job.no_verify,
  };
  if (job.assertion_keys) {
    const { keys } = JSON.parse(await readFile(job.assertion_keys, 'utf8'));
    options.assertionVerificationKeys = {
      Keys: Object.fromEntries(Object.entries(keys).map(([id, key]) => [id, keyOf(key)])),
    };
  }
  const stream = await client.read(options);
  await writeFile(job.out, new Uint8Array(await new Response(stream).arrayBuffer()));
  return {}; // the SDK decrypts no metadata: what it calls so is the server's answer
}

const operations = {
  encrypt,
  decrypt,
  kas: async (job) => ((stub = job.url), {}),
  version: async () => ({ version: `@opentdf/sdk ${version}` }),
};

for await (const line of createInterface({ input: process.stdin })) {
  const job = JSON.parse(line);
  let answer;
  try {
    answer = { ok: true, ...(await operations[job.op](job)) };
  } catch (e) {
    const causes = [];
    for (let c = e; c; c = c.cause) causes.push(`${c.name}: ${c.message}`);
    answer = { ok: false, error: causes.join(' <- ') };
  }
  process.stdout.write(JSON.stringify(answer) + '\n');
}
process.exit(0);
