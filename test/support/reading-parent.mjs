/** Reads the document that it is told of, says so, and never takes the second batch. */
import { readDocument } from '../../dist/libs/knowledge/src/reading/read-document.js';

const chunks = () => {
  process.send('reading');
  return new Promise(() => undefined);
};
await readDocument({ path: process.argv[2], type: 'md' }, { chunks });
