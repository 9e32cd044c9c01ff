/**
 * Lists changes of the API since the last release that affect existing clients, and fails when CHANGELOG.md does not mention them:
 * `node scripts/api-changes.mjs`. The last release is openapi.released.json, which `--release` writes.
 */
import { apiCompare } from 'api-smart-diff';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

/**
 * @typedef {{
 *   openapi: string;
 *   info: { version: string };
 *   paths: Record<string, object>;
 *   webhooks?: Record<string, object>;
 *   components: { schemas: Record<string, object> };
 * }} ApiDocument
 */

const RELEASED = 'openapi.released.json';
const WEBHOOK = 'webhook ';
/** Texts for people; clients do not depend on them. */
const WORDS = new Set([
  'description',
  'summary',
  'title',
  'example',
  'examples',
  'default',
  'tags',
  'externalDocs',
  'operationId',
]);
const COMBINED = new Set(['allOf', 'oneOf', 'anyOf']);

/**
 * One line for each guarantee that a client loses, and for each new requirement that it must meet.
 *
 * @param {ApiDocument} before
 * @param {ApiDocument} after
 * @returns {string[]}
 */
export function breakingChanges(before, after) {
  const [was, is] = [before, after].map((document) => answersOnly(contractOf(document)));
  // Its list of differences, not its own rating: it rates a changed response type as compatible, and a new enum value as breaking.
  const { diffs } = apiCompare(was, is);
  const lines = new Set(diffs.flatMap((diff) => linesOf(diff, was)));
  for (const line of lines) if (line.endsWith(': removed')) lines.delete(line.replace(/removed$/, 'may be absent'));
  return [...lines].toSorted();
}

/**
 * The document without its texts, as stored for a release.
 *
 * @param {ApiDocument} document
 * @returns {ApiDocument}
 */
export function contractOf({ openapi, info, paths, webhooks, components }) {
  const { schemas } = components;
  return withoutWords({ openapi, info: { version: info.version }, paths, webhooks, components: { schemas } });
}

/**
 * The reasons why this state must not be merged.
 *
 * @param {{ changelog: string; released?: ApiDocument; current: ApiDocument }} state
 * @returns {string[]}
 */
export function complaints({ changelog, released, current }) {
  const version = /^## (\d+\.\d+\.\d+) - \d{4}-\d{2}-\d{2}$/m.exec(changelog);
  if (version?.[1] !== released?.info.version)
    return [
      `CHANGELOG.md has ${version?.[1] ?? 'nothing'} as the last release, ${RELEASED} ${released?.info.version ?? 'nothing'}: ` +
        'with the date of a release goes `node scripts/api-changes.mjs --release`.',
    ];
  const unreleased = changelog.slice(0, version?.index);
  return (released ? breakingChanges(released, current) : []).filter((line) => !unreleased.includes(line));
}

function withoutWords(node, isMap = false) {
  if (Array.isArray(node)) return node.map((item) => withoutWords(item));
  if (typeof node !== 'object' || node === null) return node;
  const kept = Object.entries(node).filter(([key]) => isMap || !(WORDS.has(key) || key.startsWith('x-')));
  // Keys below these are names.
  return Object.fromEntries(
    kept.map(([key, value]) => [key, withoutWords(value, !isMap && (key === 'properties' || key === 'schemas'))]),
  );
}

/** Webhooks are compared like responses: clients read both. */
function answersOnly({ webhooks = {}, paths, ...rest }) {
  const operations = Object.entries(webhooks).map(([name, { post }]) => {
    const responses = { 200: { description: '', content: post.requestBody.content } };
    return [WEBHOOK + name, { post: { responses } }];
  });
  return { ...rest, paths: { ...paths, ...Object.fromEntries(operations) } };
}

function linesOf({ action, path, before, after }, was) {
  const [top, route, method, part, at, ...below] = path;
  if (top !== 'paths') return [];
  const name = route.startsWith(WEBHOOK) ? route : `${method?.toUpperCase()} ${route}`;
  if (path.length <= 3) return action === 'remove' ? [`${name}: removed`] : [];
  if (part === 'responses') {
    if (!/^2/.test(at)) return [];
    const where = route.startsWith(WEBHOOK) ? name : `${name} answer ${at}`;
    return changeOf(where, placeOf(below), { action, before, after, asked: false });
  }
  if (part === 'requestBody')
    return changeOf(`${name} body`, placeOf([at, ...below]), { action, before, after, asked: true });
  if (part !== 'parameters') return action === 'add' && part === 'security' ? [`${name}: needs ${part}`] : [];
  const parameter = below.length === 0 ? (after ?? before) : was.paths[route][method].parameters[at];
  const where = `${name} parameter ${parameter.name}`;
  if (below.length > 0) return changeOf(where, placeOf(below), { action, before, after, asked: true });
  if (action === 'add') return after.required ? [`${where}: now required`] : [];
  return [`${where}: removed`];
}

/** Splits a path inside a body into the field as people write it and the keyword of JSON Schema that differs. */
function placeOf(path) {
  const steps = path[0] === 'content' ? path.slice(2) : [...path];
  if (steps[0] === 'schema') steps.shift();
  let field = '';
  while (steps.length > 0) {
    const [step, name, ...rest] = steps;
    if (step === 'properties' && rest.length > 0) field += `.${name}`;
    else if (step === 'properties' && name !== undefined) return { field: `${field}.${name}`, keyword: 'property' };
    else if (COMBINED.has(step) && rest.length > 0) field += step === 'allOf' ? '' : `(${name})`;
    else if ((step === 'items' || step === 'additionalProperties') && name !== undefined) {
      field += step === 'items' ? '[]' : '{}';
      steps.shift();
      continue;
    } else return { field, keyword: step, isElement: name !== undefined };
    steps.splice(0, 2);
  }
  return { field, keyword: 'schema' };
}

function changeOf(where, { field, keyword, isElement }, change) {
  const line = (name, what) => `${where} ${field}${name}`.trimEnd().replace(' .', ' ') + `: ${what}`;
  if (keyword === 'required') return requiredOf(change).map(([name, what]) => line(name, what));
  return verdict(keyword, isElement, change).map((what) => line('', what));
}

/** `required` is true for a body or a parameter, and a list of field names for an object. */
function requiredOf({ action, before, after, asked }) {
  const names = [asked ? (action === 'remove' ? [] : after) : action === 'add' ? [] : before].flat();
  return names
    .filter(Boolean)
    .map((name) => [name === true ? '' : `.${name}`, asked ? 'now required' : 'may be absent']);
}

/** `asked`: for requests, which may require less and accept more; for responses it is the other way round. */
function verdict(keyword, isElement, { action, before, after, asked }) {
  const gone = action === 'add' ? [] : [before].flat();
  const come = action === 'remove' ? [] : [after].flat();
  if (keyword === 'enum' && isElement) return gone.map((value) => `no longer ${JSON.stringify(value)}`);
  if (keyword === 'enum') return asked && action === 'add' ? [`only ${JSON.stringify(after)}`] : [];
  if (keyword === 'type')
    return isWithin(asked ? gone : come, asked ? come : gone) ? [] : [`type ${gone.join()} -> ${come.join()}`];
  if (/^(?:max|min|multiple|unique)/.test(keyword))
    return asked && isTighter(keyword, action, before, after) ? [`${keyword} ${before ?? 'none'} -> ${after}`] : [];
  if (keyword === 'pattern' || keyword === 'format')
    return asked === (action === 'add') || action === 'replace'
      ? [`${keyword} ${before ?? 'none'} -> ${after ?? 'none'}`]
      : [];
  if (keyword === 'additionalProperties') return asked && after === false ? ['takes no other fields'] : [];
  if (action === 'add') return [];
  return [action === 'remove' ? 'removed' : 'changed'];
}

const isWithin = (types, others) =>
  types.every((type) => others.includes(type) || (type === 'integer' && others.includes('number')));

function isTighter(keyword, action, before, after) {
  if (action !== 'replace') return action === 'add';
  if (keyword.startsWith('max')) return after < before;
  return keyword.startsWith('min') ? after > before : true;
}

/** The problems of the state in `root`. */
export function check(root) {
  return complaints({
    changelog: readFileSync(join(root, 'CHANGELOG.md'), 'utf8'),
    released: documentIn(root, RELEASED),
    current: documentIn(root, 'openapi.json'),
  });
}

const documentIn = (root, file) =>
  existsSync(join(root, file)) ? JSON.parse(readFileSync(join(root, file), 'utf8')) : undefined;

function release(root) {
  const current = documentIn(root, 'openapi.json');
  const { version } = current.info;
  if (documentIn(root, RELEASED)?.info.version === version)
    throw new Error(
      `${version} is released: its API stays what it was. The next version goes into package.json first.`,
    );
  writeFileSync(join(root, RELEASED), `${JSON.stringify(contractOf(current))}\n`);
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const root = fileURLToPath(new URL('..', import.meta.url));
  if (process.argv.includes('--release')) release(root);
  const found = check(root);
  for (const line of found) console.error(line);
  process.exitCode = found.length === 0 ? 0 : 1;
}
