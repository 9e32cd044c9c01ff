import 'reflect-metadata';
import { sentenceFor } from './problem.js';
import { trunkline } from './program.js';

try {
  await trunkline().parseAsync();
} catch (error) {
  console.error(sentenceFor(error) ?? error);
  process.exitCode = 1;
}
