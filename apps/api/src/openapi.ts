import { createLog, loadEnv } from '@app/common';
import { writeFile } from 'node:fs/promises';
import { createApp } from './configure-app.js';
import { openApiDocument } from './openapi-document.js';

/** Writes the OpenAPI document for the default settings; needs no database. */
export async function writeOpenApi(path: string): Promise<void> {
  const app = await createApp(loadEnv({}), createLog({ level: 'silent', role: 'openapi' }), { preview: true });
  await writeFile(path, `${JSON.stringify(openApiDocument(app, loadEnv({})), null, 2)}\n`);
  await app.close();
}
