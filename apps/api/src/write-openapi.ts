import 'reflect-metadata';
import { writeOpenApi } from './openapi.js';

/** `node dist/apps/api/src/write-openapi.js [path]` */
await writeOpenApi(process.argv[2] ?? 'openapi.json');
