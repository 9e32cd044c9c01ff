/**
 * Writes what `libs/client` knows of the API from openapi.json: its types, and which POST routes take an Idempotency-Key.
 * `--check` writes nothing and fails when they are stale.
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
};

for (const [path, text] of Object.entries(files)) {
  const url = new URL(path, root);
  if (!process.argv.includes('--check')) await writeFile(url, text);
  else if ((await readFile(url, 'utf8').catch(() => '')) !== text)
    fail(`${fileURLToPath(url)} is stale: run npm run openapi`);
}

/** A file in a form or an answer; what JSON has to say of it is a string. */
function fileType({ format }) {
  return format === 'binary' ? ts.factory.createTypeReferenceNode('Blob') : undefined;
}

function idempotentRoutes({ paths }) {
  return Object.keys(paths)
    .filter((path) => paths[path].post?.parameters?.some(({ name }) => name === 'Idempotency-Key'))
    .toSorted();
}

function fail(message) {
  console.error(message);
  process.exitCode = 1;
}
