/**
 * Pins the images of a release: asks the registry for the digest of each tag in docker-compose.yml, the Dockerfile and deploy/kubernetes,
 * and writes `name:tag@sha256:…`. The images of Trunkline itself are left alone.
 *
 *     node scripts/pin-images.mjs            # writes the files
 *     node scripts/pin-images.mjs --check    # changes nothing; exit code 1 when a tag is not pinned or its digest is another one
 *     node scripts/pin-images.mjs --unpin    # tags only, for development
 *
 * `--root FOLDER` is another checkout, `--registry URL` replaces every registry.
 */
import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { fileURLToPath } from 'node:url';

const { values: options } = parseArgs({
  options: {
    root: { type: 'string', default: fileURLToPath(new URL('..', import.meta.url)) },
    registry: { type: 'string' },
    check: { type: 'boolean', default: false },
    unpin: { type: 'boolean', default: false },
  },
});

/** `image: NAME:TAG` in YAML, `FROM NAME:TAG` in a Dockerfile. */
const IMAGE = /^(\s*(?:- )?image: +|FROM +)(['"]?)([\w./-]+):([\w.-]+)(@sha256:[\da-f]{64})?\2(?=\s|$)/gm;
/** An index of all platforms first, so that one digest serves each of them. */
const MANIFESTS = [
  'application/vnd.oci.image.index.v1+json',
  'application/vnd.docker.distribution.manifest.list.v2+json',
  'application/vnd.oci.image.manifest.v1+json',
  'application/vnd.docker.distribution.manifest.v2+json',
].join(', ');

const files = ['docker-compose.yml', 'Dockerfile', ...yamlIn('deploy/kubernetes')].map((name) =>
  join(options.root, name),
);
const digests = new Map();
const stale = [];

// All digests before the first file is written: a tag that does not exist changes nothing.
const texts = new Map(files.map((file) => [file, readFileSync(file, 'utf8')]));
for (const [file, text] of options.unpin ? [] : texts) {
  for (const [, , , name, tag, pinned] of text.matchAll(IMAGE)) {
    if (isOurs(name)) continue;
    const digest = await digestOf(name, tag);
    if (pinned !== `@${digest}`)
      stale.push(`${file}: ${name}:${tag} is ${digest}${pinned ? `, not ${pinned.slice(1)}` : ''}`);
  }
}
for (const [file, text] of options.check ? [] : texts) {
  const written = text.replace(IMAGE, (all, before, quote, name, tag) => {
    if (isOurs(name)) return all;
    const digest = options.unpin ? '' : `@${digests.get(`${name}:${tag}`)}`;
    return `${before}${quote}${name}:${tag}${digest}${quote}`;
  });
  if (written !== text) writeFileSync(file, written);
}

for (const [image, digest] of digests) console.log(`${image}  ${digest}`);
if (options.check && stale.length > 0) {
  console.error(`${stale.join('\n')}\nRun: node scripts/pin-images.mjs`);
  process.exitCode = 1;
}

function yamlIn(folder) {
  const names = readdirSync(join(options.root, folder), { recursive: true }).map(String);
  return names
    .filter((name) => name.endsWith('.yaml') && statSync(join(options.root, folder, name)).isFile())
    .map((name) => join(folder, name));
}

/** Built by the operator; also stages of the Dockerfile, which have no tag. */
function isOurs(name) {
  return /(?:^|\/)trunkline$/.test(name);
}

async function digestOf(name, tag) {
  const image = `${name}:${tag}`;
  if (!digests.has(image)) digests.set(image, await askedDigest(name, tag));
  return digests.get(image);
}

async function askedDigest(name, tag) {
  const { registry, repository } = placeOf(name);
  const url = `${registry}/v2/${repository}/manifests/${tag}`;
  let response = await fetch(url, { method: 'HEAD', headers: { accept: MANIFESTS } });
  if (response.status === 401) {
    const token = await tokenFor(response.headers.get('www-authenticate') ?? '');
    response = await fetch(url, { method: 'HEAD', headers: { accept: MANIFESTS, authorization: `Bearer ${token}` } });
  }
  const digest = response.headers.get('docker-content-digest') ?? '';
  if (response.ok && /^sha256:[\da-f]{64}$/.test(digest)) return digest;
  throw new Error(`${name}:${tag}: ${url} answered ${response.status} without a digest. Does the tag exist?`);
}

/** Names without a host are of Docker Hub, and those without a folder are its official images. */
function placeOf(name) {
  const [first, ...rest] = name.split('/');
  const hasHost = rest.length > 0 && /[.:]|^localhost$/.test(first);
  const repository = hasHost ? rest.join('/') : name.includes('/') ? name : `library/${name}`;
  return { registry: options.registry ?? `https://${hasHost ? first : 'registry-1.docker.io'}`, repository };
}

/** The token service of the registry, for anonymous reading: https://distribution.github.io/distribution/spec/auth/token/ */
async function tokenFor(challenge) {
  const parameters = Object.fromEntries(
    [...challenge.matchAll(/(\w+)="([^"]*)"/g)].map(([, key, value]) => [key, value]),
  );
  if (!/^Bearer /i.test(challenge) || !parameters.realm)
    throw new Error(`The registry asks for credentials: ${challenge}`);
  const url = new URL(parameters.realm);
  for (const key of ['service', 'scope']) if (parameters[key]) url.searchParams.set(key, parameters[key]);
  const response = await fetch(url);
  if (!response.ok) throw new Error(`${url.origin} answered ${response.status} for a token.`);
  const { token, access_token: other } = await response.json();
  return token ?? other;
}
