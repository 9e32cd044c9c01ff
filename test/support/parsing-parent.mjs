/** Parses the document of its first argument, reports the first batch, and never accepts the second. */
import { parseInChildProcess } from '../../dist/libs/knowledge/src/parsing/document-parser.service.js';

const chunks = () => {
  process.send('reading');
  return new Promise(() => undefined);
};
await parseInChildProcess({ path: process.argv[2], type: 'md' }, { chunks });
