/** Reads the document that it is told of, says so, and never takes the second batch. */
import { parseInChildProcess } from '../../dist/libs/knowledge/src/parsing/document-parser.js';

const chunks = () => {
  process.send('reading');
  return new Promise(() => undefined);
};
await parseInChildProcess({ path: process.argv[2], type: 'md' }, { chunks });
