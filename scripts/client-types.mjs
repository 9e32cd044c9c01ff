/**
 * Generates the sources of `libs/client` from openapi.json: types, the POST routes that accept an Idempotency-Key, and the field names of
 * each route. `--check` writes nothing and fails when the sources are stale.
 */
import openapiTS, { astToString } from 'openapi-typescript';
import { readFile, writeFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import ts from 'typescript';

const root = new URL('..', import.meta.url);
const document = JSON.parse(await readFile(new URL('openapi.json', root), 'utf8'));
const HEADER = '// Written by `npm run openapi` from openapi.json.\n';

const files = {
  'libs/client/src/generated/api-types.ts':
    HEADER + astToString(await openapiTS(document, { defaultNonNullable: false, transform: fileType })),
  'libs/client/src/generated/idempotent-routes.ts': `${HEADER}/** Their POST takes an Idempotency-Key: sent again with the same key it gets the first answer. */
export const IDEMPOTENT_ROUTES: ReadonlySet<string> = new Set(${JSON.stringify(idempotentRoutes(document), null, 2)});
`,
  'libs/client/src/generated/field-names.ts': `${HEADER}/** Names of query parameters and, at any depth, of fields of the body, by method and route. */
export const FIELD_NAMES: Readonly<Record<string, readonly string[]>> = {
${fieldNames(document).join('\n')}
};
`,
};

for (const [path, text] of Object.entries(files)) {
  const url = new URL(path, root);
  if (!process.argv.includes('--check')) await writeFile(url, text);
  else if ((await readFile(url, 'utf8').catch(() => '')) !== text)
    fail(`${fileURLToPath(url)} is stale: run npm run openapi`);
}

/** A file in a form or a response; its JSON type is a string. */
function fileType({ format }) {
  return format === 'binary' ? ts.factory.createTypeReferenceNode('Blob') : undefined;
}

function idempotentRoutes({ paths }) {
  return Object.keys(paths)
    .filter((path) => paths[path].post?.parameters?.some(({ name }) => name === 'Idempotency-Key'))
    .toSorted();
}

function fieldNames({ paths }) {
  return Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).flatMap(([method, operation]) => {
      const names = namesOf(operation);
      return names.length === 0 ? [] : [`  "${method.toUpperCase()} ${path}": ${JSON.stringify(names)},`];
    }),
  );
}

function namesOf({ parameters = [], requestBody }) {
  const names = new Set(parameters.filter((one) => one.in === 'query').map(({ name }) => name));
  for (const { schema } of Object.values(requestBody?.content ?? {})) collect(schema, names);
  return [...names].toSorted((one, other) => (one < other ? -1 : 1));
}

function collect(schema, names, seen = new Set()) {
  if (typeof schema !== 'object' || schema === null || seen.has(schema)) return;
  seen.add(schema);
  const { $ref, properties = {}, items, additionalProperties, oneOf = [], anyOf = [], allOf = [] } = schema;
  if ($ref) collect(document.components.schemas[$ref.split('/').at(-1)], names, seen);
  for (const [name, property] of Object.entries(properties)) collect(property, names.add(name), seen);
  for (const inner of [items, additionalProperties, ...oneOf, ...anyOf, ...allOf]) collect(inner, names, seen);
}

function fail(message) {
  console.error(message);
  process.exitCode = 1;
}
